import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import type { Outcome } from "../../jobs/outcomes/outcome.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { ClaimState, ClaimStore } from "../../store/working/claim-store.ts";
import { settledWithin } from "../../waiting/settled-within.ts";
import { tellDone } from "../claiming/tell-done.ts";
import type { JobRun } from "./job-run.ts";
import { rolledBackCode } from "./stage-transaction.ts";

export interface TransactionEndsParts {
  readonly store: Pick<ClaimStore, "claimState">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  /** The attempt did not end in its transaction: it is settled like any other. */
  readonly settle: (run: JobRun, outcome: Outcome, durationMs: number) => void;
  /** The transaction has ended it, and nothing is left to send. */
  readonly onEnded: (run: JobRun) => void;
}

const firstPauseMs = 20;
const longestPauseMs = 1_000;

/**
 * The ends of attempts that used a transaction of their handler's. While that is open it locks the job's row, and a call that
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

  /** Resolves when the attempt's end is known: to how its transaction has ended the stage, or to null. */
  async end(run: JobRun, outcome: Outcome, durationMs: number): Promise<"done" | "give_up" | null> {
    const state = await this.#stateWhenFree(run);
    if (state === null) return null;
    const error = state === "failed" ? run.failureIn : null;
    if (state === "held" || state === "lost" || (state === "failed" && error === null)) {
      this.#parts.settle(run, outcome, durationMs);
      return null;
    }
    run.end(error === null ? { kind: "done", value: undefined } : { kind: "give_up", error });
    this.#parts.onEnded(run);
    if (error !== null) {
      const { jobId, pipeline, stage, attempt } = run;
      this.#parts.events.emit("job.failed", { jobId, pipeline, stage, attempt, error, durationMs });
      return "give_up";
    }
    this.#tell(run, state, durationMs);
    const hasFailedSince =
      "error" in outcome && outcome.error.code !== rolledBackCode && run.failureIn === null;
    if (hasFailedSince) this.#warn(run, outcome.error.message);
    return "done";
  }

  /** Waits for transactions that end within `limitMs`; what is left then is swept as lost. */
  async stop(limitMs: number): Promise<void> {
    if (this.#underWay.size === 0) return;
    await settledWithin(limitMs, Promise.all(this.#underWay), this.#parts.clock);
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

  #tell(run: JobRun, state: ClaimState, durationMs: number): void {
    const { events } = this.#parts;
    const { jobId, pipeline, stage, workStage } = run;
    if (state === "cancelled") events.emit("job.cancelled", { jobId, pipeline, stage });
    // Whoever had it next may have completed it meanwhile.
    else if (state === "completed") events.emit("job.completed", { jobId, pipeline, stage, durationMs });
    else tellDone(events, jobId, workStage, durationMs);
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
