import type { EngineConfig } from "../../engine-config.ts";
import type { WorkStage } from "../../jobs/pipelines/work-stage.ts";
import type { WakeUpListener } from "../../store/connections/wake-up-listener.ts";
import type { HeldClaims } from "../claiming/held-claims.ts";
import type { JobQueue } from "../claiming/job-queue.ts";
import type { ProcessorPool } from "../running/processor-pool.ts";
import type { StageState } from "./health-monitor.ts";

export interface WorkerReportParts {
  readonly config: EngineConfig;
  readonly stages: readonly WorkStage[];
  readonly queue: Pick<JobQueue, "waiting">;
  readonly pool: Pick<ProcessorPool, "processors" | "busy" | "longestTimeoutMs">;
  readonly held: Pick<HeldClaims, "isEmpty">;
  readonly listener: Pick<WakeUpListener, "isListening"> | null;
}

/** What a worker tells of itself: to the database with each heartbeat, to the health monitor, and to its lease. */
export class WorkerReport {
  readonly #parts: WorkerReportParts;

  constructor(parts: WorkerReportParts) {
    this.#parts = parts;
  }

  /** As the database stores it. */
  asJson(): unknown {
    const stages = this.stageStates().map(({ pipeline, stage, waiting, processors }, index) => {
      const count = (state: string) => processors.filter((processor) => processor.state === state).length;
      const batch = this.#parts.stages[index]?.definition.batch;
      const counts = { idle: count("idle"), busy: count("busy"), error: count("error") };
      return { pipeline, stage, waiting, ...counts, ...(batch !== undefined && { batchSize: batch.size }) };
    });
    const { sweepIntervalMs, cancelGraceMs, stopGraceMs, pollIntervalMs } = this.#parts.config;
    return {
      memoryBytes: process.memoryUsage.rss(),
      isListening: this.#parts.listener?.isListening ?? false,
      stages,
      // `verify` judges by these how long something may take.
      times: { sweepIntervalMs, cancelGraceMs, stopGraceMs, pollIntervalMs },
    };
  }

  stageStates(): StageState[] {
    const { config, stages, queue, pool } = this.#parts;
    const nowMs = config.clock.monotonicMs();
    return stages.map((stage) => ({
      pipeline: stage.pipeline.name,
      stage: stage.definition.name,
      waiting: queue.waiting(stage.id),
      processors: pool.processors(stage.id).map(({ number, state, runs }) => {
        // Those of one call have begun together.
        const [run] = runs;
        const busyForMs = run === undefined ? 0 : nowMs - run.startedMs;
        return { number, state, jobId: run?.jobId ?? null, busyForMs };
      }),
    }));
  }

  /** What is held and has not begun may begin, and block this thread, before anybody looks again. */
  longestTimeoutMs(): number | null {
    const { stages, pool, held } = this.#parts;
    if (pool.busy > 0) return pool.longestTimeoutMs();
    if (held.isEmpty) return 0;
    const timeoutsMs = stages.map(({ definition }) => definition.options.timeoutMs);
    return timeoutsMs.includes(null) ? null : Math.max(...timeoutsMs.map((ms) => ms ?? 0));
  }
}
