import type { Clock } from "../../clock.ts";
import type { WorkStage } from "../../jobs/pipelines/work-stage.ts";
import type { Claim } from "../../store/working/claim.ts";
import { Ticker } from "../../waiting/ticker.ts";
import type { JobQueue } from "../claiming/job-queue.ts";
import type { JobRun } from "./job-run.ts";
import type { ProcessorPool } from "./processor-pool.ts";

export interface JobCoordinatorParts {
  readonly stages: readonly WorkStage[];
  readonly queue: Pick<JobQueue, "dequeue" | "waiting">;
  readonly pool: Pick<ProcessorPool, "idle" | "run">;
  readonly newRun: (claim: Claim, stage: WorkStage) => JobRun;
  readonly clock: Clock;
  /** 0: as soon as a job and a processor are there. */
  readonly assignIntervalMs: number;
  readonly assignmentsPerCycle: number | null;
  readonly onError: (error: unknown) => void;
}

interface Assigning {
  readonly stage: WorkStage;
  isUnderWay: boolean;
  isNoticed: boolean;
}

/** Brings waiting jobs and idle processors together. */
export class JobCoordinator {
  readonly #parts: JobCoordinatorParts;
  readonly #ticker: Ticker | null;
  readonly #stages: ReadonlyMap<number, Assigning>;

  constructor(parts: JobCoordinatorParts) {
    this.#parts = parts;
    this.#stages = new Map(
      parts.stages.map((stage) => [stage.id, { stage, isUnderWay: false, isNoticed: false }]),
    );
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
        this.#assign(assigning.stage);
      }
    } finally {
      assigning.isUnderWay = false;
    }
  }

  #assignAll(): void {
    for (const { stage } of this.#stages.values()) this.#assign(stage);
  }

  #assign(stage: WorkStage): void {
    const { queue, pool, newRun, assignmentsPerCycle } = this.#parts;
    const atMost = assignmentsPerCycle ?? Number.POSITIVE_INFINITY;
    for (let assigned = 0; assigned < atMost && pool.idle(stage.id) > 0; assigned += 1) {
      const claim = queue.dequeue(stage.id);
      if (claim === undefined) return;
      pool.run(newRun(claim, stage));
    }
  }
}
