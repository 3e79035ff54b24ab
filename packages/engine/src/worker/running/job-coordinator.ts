import type { Clock } from "../../clock.ts";
import type { WorkStage } from "../../jobs/pipelines/work-stage.ts";
import type { Claim } from "../../store/working/claim.ts";
import { Ticker } from "../../waiting/ticker.ts";
import type { JobQueue } from "../claiming/job-queue.ts";
import { BatchGathering } from "./batch-gathering.ts";
import type { JobRun } from "./job-run.ts";
import type { ProcessorPool } from "./processor-pool.ts";

export interface JobCoordinatorParts {
  readonly stages: readonly WorkStage[];
  readonly queue: Pick<JobQueue, "dequeue" | "waiting">;
  readonly pool: Pick<ProcessorPool, "idle" | "run">;
  /** The attempts of jobs that one processor runs. */
  readonly newRuns: (claims: readonly Claim[], stage: WorkStage) => readonly JobRun[];
  readonly clock: Clock;
  /** 0: as soon as a job and a processor are there. */
  readonly assignIntervalMs: number;
  readonly assignmentsPerCycle: number | null;
  readonly onError: (error: unknown) => void;
}

interface Assigning {
  readonly stage: WorkStage;
  /** Of a stage with a batch handler. */
  readonly gathering: BatchGathering | null;
  /** Whether a timer will look whether a call is due. */
  isTimed: boolean;
  isUnderWay: boolean;
  isNoticed: boolean;
}

/** Brings waiting jobs and idle processors together. */
export class JobCoordinator {
  readonly #parts: JobCoordinatorParts;
  readonly #ticker: Ticker | null;
  readonly #stopping = new AbortController();
  readonly #stages: ReadonlyMap<number, Assigning>;

  constructor(parts: JobCoordinatorParts) {
    this.#parts = parts;
    this.#stages = new Map(parts.stages.map((stage) => [stage.id, assigningOf(stage)]));
    this.#ticker =
      parts.assignIntervalMs === 0
        ? null
        : new Ticker({
            intervalMs: parts.assignIntervalMs,
            clock: parts.clock,
            tick: async () => this.#assignAll(),
            onError: parts.onError,
          });
  }

  start(): void {
    this.#ticker?.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ticker?.stop();
  }

  /** A job has come into a stage's queue, or one of its processors is free. */
  notice(stageId: number): void {
    const assigning = this.#stages.get(stageId);
    // With an interval, the next cycle will see it.
    if (this.#ticker !== null || assigning === undefined) return;
    assigning.isNoticed = true;
    // A job that ends as soon as it is assigned is noticed from within: the loop below goes on, since one
    // inside the other would go as deep as the line is long.
    if (assigning.isUnderWay) return;
    assigning.isUnderWay = true;
    try {
      while (assigning.isNoticed) {
        assigning.isNoticed = false;
        this.#assign(assigning);
      }
    } finally {
      assigning.isUnderWay = false;
    }
  }

  #assignAll(): void {
    for (const assigning of this.#stages.values()) this.#assign(assigning);
  }

  #assign(assigning: Assigning): void {
    const { pool, newRuns, assignmentsPerCycle } = this.#parts;
    const { stage } = assigning;
    const atMost = assignmentsPerCycle ?? Number.POSITIVE_INFINITY;
    for (let assigned = 0; assigned < atMost; assigned += 1) {
      // Also while no processor is idle: it must be known since when they wait.
      const count = this.#nextCount(assigning);
      if (count === 0 || pool.idle(stage.id) === 0) return;
      pool.run(newRuns(this.#dequeue(assigning, count), stage));
    }
  }

  /** How many jobs the next processor of the stage would get. */
  #nextCount(assigning: Assigning): number {
    const { queue, clock } = this.#parts;
    const { stage, gathering } = assigning;
    const waiting = queue.waiting(stage.id);
    if (gathering === null) return Math.min(1, waiting);
    const nowMs = clock.monotonicMs();
    const count = gathering.ready(waiting, nowMs);
    if (count === 0 && waiting > 0) void this.#lookAgain(assigning, gathering.dueMs - nowMs);
    return count;
  }

  #dequeue({ stage, gathering }: Assigning, count: number): Claim[] {
    const claims: Claim[] = [];
    while (claims.length < count) {
      const claim = this.#parts.queue.dequeue(stage.id);
      if (claim === undefined) break;
      claims.push(claim);
    }
    gathering?.took(claims.length);
    return claims;
  }

  /** A later call is due later, so that one timer is enough: when it is over, it says whether there must be another. */
  async #lookAgain(assigning: Assigning, afterMs: number): Promise<void> {
    const { signal } = this.#stopping;
    // With an interval, a later cycle will see it.
    if (assigning.isTimed || this.#ticker !== null || signal.aborted) return;
    assigning.isTimed = true;
    await this.#parts.clock.sleep(afterMs, signal);
    assigning.isTimed = false;
    if (!signal.aborted) this.notice(assigning.stage.id);
  }
}

function assigningOf(stage: WorkStage): Assigning {
  const { batch } = stage.definition;
  const gathering = batch === undefined ? null : new BatchGathering(batch);
  return { stage, gathering, isTimed: false, isUnderWay: false, isNoticed: false };
}
