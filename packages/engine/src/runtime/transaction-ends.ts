import type { Clock } from "../clock.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import type { Outcome } from "../jobs/outcome.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";
import type { ClaimState, JobStore } from "../store/job-store.ts";
import type { JobRun } from "./job-run.ts";
import { rolledBackCode } from "./stage-transaction.ts";

export interface TransactionEndsParts {
  readonly store: Pick<JobStore, "claimState">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  /** The try did not end in its transaction: it is settled like any other. */
  readonly settle: (run: JobRun, outcome: Outcome, durationMs: number) => void;
  /** The transaction has ended it, and nothing is left to send. */
  readonly onEnded: (run: JobRun) => void;
}

const firstPauseMs = 20;
const longestPauseMs = 1_000;

/**
 * The ends of tries that used a transaction of their handler's. While that is open it locks the job's row, and a call that
 * settles many jobs would wait for it: so each is looked at alone, and settled when it is free.
 */
export class TransactionEnds {
  readonly #parts: TransactionEndsParts;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(parts: TransactionEndsParts) {
    this.#parts = parts;
  }

  add(run: JobRun, outcome: Outcome, durationMs: number): void {
    const ending: Promise<unknown> = this.end(run, outcome, durationMs)
      .catch((error) => this.#parts.events.emitError(error))
      .finally(() => this.#underWay.delete(ending));
    this.#underWay.add(ending);
  }

  /** Resolves when the try's end is known: true when its transaction has done the stage. */
  async end(run: JobRun, outcome: Outcome, durationMs: number): Promise<boolean> {
    const state = await this.#stateWhenFree(run);
    if (state === null) return false;
    if (state === "held" || state === "lost") {
      this.#parts.settle(run, outcome, durationMs);
      return false;
    }
    run.endSpan({ kind: "done", value: undefined });
    this.#parts.onEnded(run);
    this.#announce(run, state, durationMs);
    if ("error" in outcome && outcome.error.code !== rolledBackCode) this.#warn(run, outcome.error.message);
    return true;
  }

  /** Waits for transactions that end within `limitMs`; what is left then is swept as lost. */
  async stop(limitMs: number): Promise<void> {
    if (this.#underWay.size === 0) return;
    const over = new AbortController();
    await Promise.race([Promise.all(this.#underWay), this.#parts.clock.sleep(limitMs, over.signal)]);
    over.abort();
    this.#stopping.abort();
  }

  /** Null: the worker stops. */
  async #stateWhenFree({ claim }: JobRun): Promise<ClaimState | null> {
    const { store, clock } = this.#parts;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      try {
        const state = await store.claimState(claim);
        if (state !== "locked") return state;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError)) throw error;
        pauseMs = longestPauseMs;
      }
      await clock.sleep(pauseMs, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return null;
    }
  }

  #announce(run: JobRun, state: ClaimState, durationMs: number): void {
    const { events } = this.#parts;
    const { jobId, pipeline, stage, workStage } = run;
    const { stages } = workStage.pipeline;
    const next = stages[stages.indexOf(workStage.definition) + 1];
    if (state === "cancelled") events.emit("job.cancelled", { jobId, pipeline, stage });
    else if (state === "completed" || next === undefined)
      events.emit("job.completed", { jobId, pipeline, stage, durationMs });
    else events.emit("job.advanced", { jobId, pipeline, stage, nextStage: next.name, durationMs });
  }

  #warn({ jobId, pipeline, stage, attempt }: JobRun, reason: string): void {
    this.#parts.events.emit("job.log", {
      jobId,
      pipeline,
      stage,
      attempt,
      level: "warn",
      message: `The handler failed after its transaction had committed, so the stage stays done: ${reason}`,
    });
  }
}
