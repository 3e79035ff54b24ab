import type { PrometheusSample } from "../../events/prometheus-text.ts";
import type { WorkerInfo } from "../../store/reading/worker-info.ts";

/** What a worker says of one of its stages with each heartbeat. */
interface StageReport {
  readonly pipeline: string;
  readonly stage: string;
  readonly waiting: number;
  readonly idle: number;
  readonly busy: number;
  readonly error: number;
}

/** The processors of these workers, added up by stage and state. */
export function processorSamples(workers: readonly WorkerInfo[]): PrometheusSample[] {
  return stagesOf(workers).flatMap((report) =>
    (["idle", "busy", "error"] as const).map((state) => ({
      labels: { pipeline: report.pipeline, stage: report.stage, state },
      value: report[state],
    })),
  );
}

/** The jobs these workers have claimed and not started, added up by stage. */
export function queuedSamples(workers: readonly WorkerInfo[]): PrometheusSample[] {
  return stagesOf(workers).map(({ pipeline, stage, waiting }) => ({
    labels: { pipeline, stage },
    value: waiting,
  }));
}

function stagesOf(workers: readonly WorkerInfo[]): StageReport[] {
  const sums = new Map<string, StageReport>();
  for (const report of workers.flatMap(reportsOf)) {
    const key = `${report.pipeline}/${report.stage}`;
    const sum = sums.get(key);
    sums.set(key, sum === undefined ? report : added(sum, report));
  }
  return [...sums.values()];
}

// A worker in another language may report what it likes, or nothing.
function reportsOf({ report }: WorkerInfo): StageReport[] {
  const stages: unknown = (report as { stages?: unknown } | null)?.stages;
  return Array.isArray(stages) ? stages.filter(isStageReport) : [];
}

function isStageReport(value: unknown): value is StageReport {
  if (typeof value !== "object" || value === null) return false;
  const { pipeline, stage, ...numbers } = value as Record<string, unknown>;
  return (
    typeof pipeline === "string" &&
    typeof stage === "string" &&
    ["waiting", "idle", "busy", "error"].every((name) => typeof numbers[name] === "number")
  );
}

function added(one: StageReport, other: StageReport): StageReport {
  return {
    pipeline: one.pipeline,
    stage: one.stage,
    waiting: one.waiting + other.waiting,
    idle: one.idle + other.idle,
    busy: one.busy + other.busy,
    error: one.error + other.error,
  };
}
