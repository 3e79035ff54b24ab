import { type Act, checkAct } from "../../jobs/adding/act.ts";
import { IdempotencyKeyInUseError, IdempotencyKeyReusedError } from "../../jobs/adding/idempotency-errors.ts";
import { type Database, RolledBack } from "../../store/connections/database.ts";
import { RefusedError } from "../../store/connections/database-error.ts";
import { ActionStore } from "../../store/steering/action-store.ts";
import { ActQuery } from "./act-query.ts";
import { needsPipelines, RecordedWrites, type RecordedWritesParts } from "./recorded-writes.ts";

export interface ActionRecorderParts extends RecordedWritesParts {
  readonly database: Pick<Database, "transaction">;
  /** Resolves when the database knows the pipelines. */
  readonly ready: () => Promise<unknown>;
}

/** The answer to something that a person asked for. */
export interface Recorded<Answer> {
  readonly answer: Answer;
  /** It was done before under the same key: nothing has changed now, and this is what was answered then. */
  readonly isReplayed: boolean;
}

/**
 * Does what a person asks for, records who did it, and stores the answer under its idempotency key, all in one transaction.
 * If the reply to the commit is lost, the same request with the same key gets the stored answer.
 */
export class ActionRecorder {
  readonly #parts: ActionRecorderParts;
  #arePipelinesKnown = false;

  constructor(parts: ActionRecorderParts) {
    this.#parts = parts;
  }

  /**
   * The answer is JSON, and what `run` throws undoes all it has written. Like every transaction that meets another in a
   * deadlock it may run again, so it must do nothing beside its writes.
   */
  async run<Answer>(act: Act, run: (writes: RecordedWrites) => Promise<Answer>): Promise<Recorded<Answer>> {
    checkAct(act);
    try {
      return await this.#runOnce(act, run);
    } catch (thrown) {
      if (thrown !== needsPipelines) throw thrown;
      await this.#parts.ready();
      this.#arePipelinesKnown = true;
      return await this.#runOnce(act, run);
    }
  }

  async #runOnce<Answer>(
    act: Act,
    run: (writes: RecordedWrites) => Promise<Answer>,
  ): Promise<Recorded<Answer>> {
    const { idempotency } = act;
    let writes: RecordedWrites | undefined;
    const recorded = await this.#parts.database.transaction(async (send) => {
      const actions = new ActionStore(new ActQuery(send));
      if (idempotency !== undefined) {
        const { state, answer } = await actions.claimKey(act, idempotency);
        if (state === "replayed") return { answer: answer as Answer, isReplayed: true };
        if (state === "reused") throw new RolledBack(new IdempotencyKeyReusedError(idempotency.key));
        if (state === "in_use") throw new RolledBack(new IdempotencyKeyInUseError(idempotency.key));
      }
      const query = new ActQuery(send);
      writes = new RecordedWrites(this.#parts, act.user, query, this.#arePipelinesKnown);
      const answer = await answerOf(run, writes, query);
      const { target = "", outcome = "done", detail } = writes.noted;
      const details = detail === undefined && act.detail === undefined ? null : { ...act.detail, ...detail };
      await actions.record(act, act.target ?? target, outcome, details).catch(rollBackIfRefused);
      if (idempotency !== undefined) {
        await actions.keepAnswer(act, idempotency, JSON.stringify(answer ?? null));
      }
      return { answer, isReplayed: false };
    });
    writes?.announce();
    return recorded;
  }
}

async function answerOf<Answer>(
  run: (writes: RecordedWrites) => Promise<Answer>,
  writes: RecordedWrites,
  query: ActQuery,
): Promise<Answer> {
  try {
    const answer = await run(writes);
    query.end();
    if (writes.needsPipelines) throw needsPipelines;
    return answer;
  } catch (error) {
    // The transaction may run again after a failure of PostgreSQL itself; any other error goes to the caller unchanged.
    throw query.breakdown ?? new RolledBack(error);
  }
}

function rollBackIfRefused(error: unknown): never {
  throw error instanceof RefusedError ? new RolledBack(error) : error;
}
