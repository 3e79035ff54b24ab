import type { HistoryStep, Pipeline, StageCount, StageWait, Worker } from "../../api/contract.ts";
import type { Processors } from "../workers/processor-grid.tsx";

export interface FunnelStage {
  readonly name: string;
  /** A stage that no worker runs. */
  readonly kind: "wait" | "sleep" | null;
  readonly pausedAt: string | null;
  readonly pending: number;
  /** Since when the longest waiting one waits; null when none does. */
  readonly oldestPendingAt: string | null;
  readonly scheduled: number;
  readonly processing: number;
  readonly retrying: number;
  readonly failed: number;
  readonly processors: Processors;
  /** The most jobs of one call of its batch handler; null: it takes one job, or no worker tells. */
  readonly batchSize: number | null;
  /** Live workers that serve it. */
  readonly workers: number;
  readonly entered: number;
  /** Tries that got a job out of the stage in the range. */
  readonly done: number;
  readonly donePerHour: number;
  readonly failedInRange: number;
  /** Jobs that skipped the stage in the range. */
  readonly skipped: number;
  /** Of a parallel stage: the names of its branches. */
  readonly branches: readonly string[];
  readonly waitP95Ms: number | null;
  readonly runP95Ms: number | null;
  /** Of what left the stage, what went on; null when nothing left it. */
  readonly passedOn: number | null;
  /** How many more jobs arrive each minute than leave. */
  readonly growthPerMinute: number;
  readonly isBottleneck: boolean;
}

interface Sources {
  readonly pipeline: Pipeline;
  readonly stats: readonly StageCount[];
  readonly waits: readonly StageWait[];
  readonly workers: readonly Worker[];
  readonly history: readonly HistoryStep[];
  readonly spanMs: number;
}

const manyPending = 10;

/** What each stage of a pipeline has to do, does and has done. */
export function funnelOf({ pipeline, stats, waits, workers, history, spanMs }: Sources): FunnelStage[] {
  const rows = pipeline.stages.map((stage, index) => {
    const counts = stats.filter((count) => count.pipeline === pipeline.name && count.stage === stage.name);
    const of = (status: StageCount["status"]) => counts.find((count) => count.status === status)?.jobs ?? 0;
    const steps = history.filter((step) => step.stage === stage.name);
    const sum = (name: "entered" | "advanced" | "completed" | "failed" | "cancelled" | "skipped") =>
      steps.reduce((total, step) => total + step[name], 0);
    const done = sum("advanced") + sum("completed");
    // One that skips the last stage is counted as completed, too.
    const passed = done + (index === pipeline.stages.length - 1 ? 0 : sum("skipped"));
    const left = passed + sum("failed") + sum("cancelled");
    return {
      name: stage.name,
      kind: stage.kind ?? null,
      pausedAt: stage.pausedAt,
      pending: of("pending"),
      oldestPendingAt:
        waits.find((wait) => wait.pipeline === pipeline.name && wait.stage === stage.name)?.oldestPendingAt ??
        null,
      scheduled: of("scheduled"),
      processing: of("processing"),
      retrying: of("retrying"),
      failed: of("failed"),
      ...servedBy(workers, pipeline.name, stage.name),
      entered: sum("entered"),
      done,
      donePerHour: (done / spanMs) * 3_600_000,
      failedInRange: sum("failed"),
      skipped: sum("skipped"),
      branches: stage.branches ?? [],
      waitP95Ms: worst(steps.map((step) => step.waitP95Ms)),
      runP95Ms: worst(steps.map((step) => step.runP95Ms)),
      passedOn: left === 0 ? null : passed / left,
      growthPerMinute: ((sum("entered") - left) / spanMs) * 60_000,
    };
  });
  const slowest = rows.reduce((most, row) => Math.max(most, row.pending), 0);
  return rows.map((row) => ({
    ...row,
    isBottleneck: row.pending === slowest && row.pending >= manyPending && row.pausedAt === null,
  }));
}

/** The processors that live workers report for a stage. */
export function servedBy(workers: readonly Worker[], pipeline: string, stage: string) {
  const live = workers.filter((worker) => worker.isAlive && worker.stages.includes(`${pipeline}/${stage}`));
  const processors = { busy: 0, idle: 0, error: 0 };
  let batchSize: number | null = null;
  for (const report of live.flatMap(reportsOf)) {
    if (report.pipeline !== pipeline || report.stage !== stage) continue;
    processors.busy += report.busy;
    processors.idle += report.idle;
    processors.error += report.error;
    if (typeof report.batchSize === "number") batchSize = Math.max(batchSize ?? 0, report.batchSize);
  }
  return { workers: live.length, processors, batchSize };
}

export interface StageReport extends Processors {
  readonly pipeline: string;
  readonly stage: string;
  readonly waiting: number;
  readonly batchSize?: number;
}

/** What a worker tells of its stages; anything else in its report is not for us to guess. */
export function reportsOf({ report }: Pick<Worker, "report">): StageReport[] {
  const stages: unknown = (report as { stages?: unknown } | null)?.stages;
  return Array.isArray(stages) ? stages.filter(isStageReport) : [];
}

function isStageReport(value: unknown): value is StageReport {
  const report = value as Partial<StageReport> | null;
  return (
    typeof report?.pipeline === "string" &&
    typeof report.stage === "string" &&
    [report.busy, report.idle, report.error].every((count) => typeof count === "number")
  );
}

function worst(times: readonly (number | null)[]): number | null {
  const known = times.filter((ms) => ms !== null);
  return known.length === 0 ? null : Math.max(...known);
}
