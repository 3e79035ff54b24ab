import { jobErrorOf } from "../../jobs/outcomes/job-error.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { StageRequest } from "../../store/working/claim.ts";
import type { ClaimStore } from "../../store/working/claim-store.ts";
import type { Exchange, SettledJob } from "../../store/working/settle-and-claim.ts";
import { type EndedAttempt, type JobSettler, settlementOf } from "./job-settler.ts";

export interface JobExchangeParts {
  readonly store: Pick<ClaimStore, "settleAndClaim" | "presentClaims">;
  readonly settler: JobSettler;
  readonly workerId: () => string;
  /** The reply to a claim was lost. */
  readonly onDoubt: () => void;
  /** The database has this attempt's end. */
  readonly onConfirmed: (ended: EndedAttempt) => void;
}

/** One call with the database: the ends of attempts go out, new claims come in. */
export class JobExchange {
  readonly #parts: JobExchangeParts;

  constructor(parts: JobExchangeParts) {
    this.#parts = parts;
  }

  /** Null: the attempts were settled one by one, since something in the batch could not be stored. */
  async send(attempts: readonly EndedAttempt[], requests: readonly StageRequest[]): Promise<Exchange | null> {
    const { store, settler, workerId, onDoubt, onConfirmed } = this.#parts;
    const keeps = new Map(requests.map((request) => [request.stageId, request.keep]));
    const settlements = attempts.map((ended) => settlementOf(ended, keepIn(ended, keeps)));
    let hasClaimed = false;
    try {
      const exchange = await store.settleAndClaim(workerId(), settlements, requests);
      hasClaimed = exchange.claims.length > 0;
      const settled = await this.#settledAfterAll(attempts, exchange.settled);
      for (const ended of attempts) onConfirmed(ended);
      return { ...exchange, settled };
    } catch (error) {
      const isAway = error instanceof DatabaseUnavailableError;
      // It may have happened all the same: the ends are recognised when sent again, the claims are asked for.
      if (hasClaimed || (isAway && requests.length > 0)) onDoubt();
      if (isAway) {
        settler.putBack(attempts);
        throw error;
      }
      if (attempts.length === 0) throw error;
      await this.#settleOneByOne(attempts);
      return null;
    }
  }

  /** A claim that only a crash of PostgreSQL has forgotten is not lost: it is presented, and its end sent again. */
  async #settledAfterAll(
    attempts: readonly EndedAttempt[],
    settled: readonly SettledJob[],
  ): Promise<readonly SettledJob[]> {
    const { store, workerId } = this.#parts;
    const refused = new Set(
      settled.filter(({ answer }) => answer === "lease_lost").map(({ jobId }) => jobId),
    );
    if (refused.size === 0) return settled;
    const presented = attempts.filter(({ claim }) => refused.has(claim.jobId));
    const lost = await store.presentClaims(
      workerId(),
      presented.map(({ claim }) => claim),
    );
    const held = presented.filter(({ claim }) => !lost.has(claim.jobId));
    if (held.length === 0) return settled;
    const settlements = held.map((ended) => settlementOf(ended, null));
    const again = await store.settleAndClaim(workerId(), settlements, []);
    return [...settled.filter(({ jobId }) => !refused.has(jobId) || lost.has(jobId)), ...again.settled];
  }

  /** An attempt whose end cannot be stored fails; the others are not affected. */
  async #settleOneByOne(attempts: readonly EndedAttempt[]): Promise<void> {
    const { store, settler, workerId, onConfirmed } = this.#parts;
    for (const [index, ended] of attempts.entries()) {
      try {
        const { settled } = await store.settleAndClaim(workerId(), [settlementOf(ended, null)], []);
        onConfirmed(ended);
        settler.confirm([ended], settled);
      } catch (error) {
        settler.putBack(attempts.slice(index + 1));
        if (error instanceof DatabaseUnavailableError) settler.putBack([ended]);
        else settler.putBackAsFailed(ended, { ...jobErrorOf(error), code: "invalid_output" });
        throw error;
      }
    }
  }
}

/** The next stage, if one more of its jobs may be kept here: then there is one less to keep. */
function keepIn(ended: EndedAttempt, keeps: Map<number, number>): number | null {
  const { nextId } = ended.stage;
  const { kind } = ended.outcome;
  if ((kind !== "done" && kind !== "skip") || nextId === null) return null;
  const left = keeps.get(nextId) ?? 0;
  if (left <= 0) return null;
  keeps.set(nextId, left - 1);
  return nextId;
}
