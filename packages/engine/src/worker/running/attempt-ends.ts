import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import type { Outcome } from "../../jobs/outcomes/outcome.ts";
import { stageKey } from "../../jobs/pipelines/work-stage.ts";
import type { ClaimStore } from "../../store/working/claim-store.ts";
import type { HeldClaims } from "../claiming/held-claims.ts";
import type { JobQueue } from "../claiming/job-queue.ts";
import type { JobScheduler } from "../claiming/job-scheduler.ts";
import type { JobSettler } from "../claiming/job-settler.ts";
import type { WorkerLease } from "../lease/worker-lease.ts";
import type { JobCoordinator } from "./job-coordinator.ts";
import type { JobRun } from "./job-run.ts";
import type { ProcessorPool } from "./processor-pool.ts";
import type { ProgressReporter } from "./progress-reporter.ts";
import { TransactionEnds } from "./transaction-ends.ts";

export interface AttemptEndsParts {
  readonly store: Pick<ClaimStore, "claimState">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly queue: Pick<JobQueue, "end">;
  readonly progress: Pick<ProgressReporter, "forget">;
  readonly settler: Pick<JobSettler, "add">;
  readonly held: Pick<HeldClaims, "remove">;
  readonly scheduler: Pick<JobScheduler, "ended" | "wake">;
  readonly coordinator: Pick<JobCoordinator, "notice">;
  readonly pool: Pick<ProcessorPool, "unstoppable">;
  readonly lease: Pick<WorkerLease, "isOnTime">;
  /** So many handlers did not stop that this process should be restarted. */
  readonly onSpent: (sentence: string) => void;
}

const unstoppableLimit = 3;

/** What follows the end of an attempt: its end goes to the settler, and its processor to the next job. */
export class AttemptEnds {
  readonly #parts: AttemptEndsParts;
  readonly #transactionEnds: TransactionEnds;
  #isSpent = false;

  constructor(parts: AttemptEndsParts) {
    this.#parts = parts;
    const { store, clock, events, held, scheduler } = parts;
    this.#transactionEnds = new TransactionEnds({
      store,
      clock,
      events,
      settle: (run, outcome, durationMs) => {
        this.#settle(run, outcome, durationMs);
        scheduler.wake();
      },
      onEnded: (run) => held.remove(run.claim),
    });
  }

  add(run: JobRun, outcome: Outcome): void {
    const { clock, scheduler, coordinator } = this.#parts;
    // Forgotten already when a transaction ended its stage: what is known by its id now may be its next attempt.
    if (!run.isEndedIn) this.forget(run.jobId);
    const durationMs = clock.monotonicMs() - run.startedMs;
    if (run.usesTransaction) this.#transactionEnds.add(run, outcome, durationMs);
    else this.#settle(run, outcome, durationMs);
    scheduler.ended(run.workStage.id, durationMs);
    coordinator.notice(run.workStage.id);
    this.#tellIfSpent(run);
  }

  /** The job may come again from now on. */
  forget(jobId: string): void {
    const { queue, progress } = this.#parts;
    queue.end(jobId);
    progress.forget(jobId);
  }

  /** The worker stops: how many handlers do not is of no interest any more. */
  stopTelling(): void {
    this.#isSpent = true;
  }

  /** Waits for transactions that end within `limitMs`. */
  stop(limitMs: number): Promise<void> {
    return this.#transactionEnds.stop(limitMs);
  }

  #settle(run: JobRun, outcome: Outcome, durationMs: number): void {
    run.end(outcome);
    this.#parts.settler.add(run.claim, run.workStage, outcome, durationMs, run.logAsJson);
  }

  #tellIfSpent({ workStage }: JobRun): void {
    const { pool, lease, onSpent } = this.#parts;
    if (pool.unstoppable < unstoppableLimit || this.#isSpent) return;
    // Handlers that wait for a database that is away stop when it is back.
    if (!lease.isOnTime) return;
    this.#isSpent = true;
    onSpent(
      `${unstoppableLimit} handlers did not stop when they were told to, the last in ${stageKey(workStage)}.`,
    );
  }
}
