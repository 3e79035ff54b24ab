import { jobErrorOf } from "../jobs/job-error.ts";
import type { StageRequest } from "../store/claim.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";
import type { JobStore } from "../store/job-store.ts";
import type { Exchange } from "../store/settle-and-claim.ts";
import { type EndedTry, type JobSettler, settlementOf } from "./job-settler.ts";

export interface JobExchangeParts {
  readonly store: Pick<JobStore, "settleAndClaim">;
  readonly settler: JobSettler;
  readonly workerId: () => string;
  /** The reply to a claim was lost. */
  readonly onDoubt: () => void;
  /** The database has this try's end. */
  readonly onConfirmed: (ended: EndedTry) => void;
}

/** One call with the database: the ends of tries go out, new claims come in. */
export class JobExchange {
  readonly #parts: JobExchangeParts;

  constructor(parts: JobExchangeParts) {
    this.#parts = parts;
  }

  /** Null: the tries were settled one by one, since something in the batch could not be stored. */
  async send(tries: readonly EndedTry[], requests: readonly StageRequest[]): Promise<Exchange | null> {
    const { store, settler, workerId, onDoubt, onConfirmed } = this.#parts;
    const rooms = new Map(requests.map((request) => [request.stageId, request.keep]));
    const settlements = tries.map((ended) => settlementOf(ended, keepIn(ended, rooms)));
    try {
      const exchange = await store.settleAndClaim(workerId(), settlements, requests);
      for (const ended of tries) onConfirmed(ended);
      return exchange;
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) {
        // It may have happened all the same: the ends are recognised when sent again, the claims are asked for.
        if (requests.length > 0) onDoubt();
        settler.putBack(tries);
        throw error;
      }
      if (tries.length === 0) throw error;
      await this.#settleOneByOne(tries);
      return null;
    }
  }

  /** Whose end cannot be stored, that try fails; the others are not touched. */
  async #settleOneByOne(tries: readonly EndedTry[]): Promise<void> {
    const { store, settler, workerId, onConfirmed } = this.#parts;
    for (const [index, ended] of tries.entries()) {
      try {
        const { settled } = await store.settleAndClaim(workerId(), [settlementOf(ended, null)], []);
        onConfirmed(ended);
        settler.confirm([ended], settled);
      } catch (error) {
        settler.putBack(tries.slice(index + 1));
        if (error instanceof DatabaseUnavailableError) settler.putBack([ended]);
        else settler.putBackAsFailed(ended, { ...jobErrorOf(error), code: "invalid_output" });
        throw error;
      }
    }
  }
}

/** A finished stage goes on here when the next one has room to keep it; that room is then taken. */
function keepIn(ended: EndedTry, rooms: Map<number, number>): number | null {
  const { nextId } = ended.stage;
  if (ended.outcome.kind !== "done" || nextId === null) return null;
  const room = rooms.get(nextId) ?? 0;
  if (room <= 0) return null;
  rooms.set(nextId, room - 1);
  return nextId;
}
