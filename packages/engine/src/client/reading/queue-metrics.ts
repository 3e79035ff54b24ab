import type { Clock } from "../../clock.ts";
import {
  type PrometheusFamily,
  type PrometheusMetric,
  type PrometheusSample,
  prometheusText,
} from "../../events/prometheus-text.ts";
import type { QueueStore, StageCount } from "../../store/reading/queue-store.ts";
import { type StageTotals, type StageWait, stageCountNames } from "../../store/reading/stage-numbers.ts";
import type { WorkerInfo } from "../../store/reading/worker-info.ts";
import { type BudgetReads, budgetFamilies, budgetMetrics } from "./budget-metrics.ts";
import { processorSamples, queuedSamples } from "./worker-reports.ts";

/** Every metric there is. The page on observability is compared with this table by a test. */
export const queueMetrics = {
  jobs: gauge("lockstep_jobs", ["pipeline", "stage", "status"], "Unfinished jobs."),
  paused: gauge("lockstep_stage_paused", ["pipeline", "stage"], "1 while the stage is paused."),
  stageWorkers: gauge("lockstep_stage_workers", ["pipeline", "stage"], "Live workers that serve the stage."),
  pending: gauge(
    "lockstep_oldest_pending_seconds",
    ["pipeline", "stage"],
    "For how long the longest waiting job could have been claimed; 0 when none waits.",
  ),
  overdue: gauge(
    "lockstep_overdue_seconds",
    ["pipeline", "stage"],
    "For how long the most overdue scheduled or retrying job has been due; 0 when none is.",
  ),
  moves: {
    name: "lockstep_stage_moves_total",
    type: "counter",
    labels: ["pipeline", "stage", "move"],
    help: "What happened to jobs in the stage since it was defined, by move.",
  },
  waits: {
    name: "lockstep_attempt_wait_seconds",
    type: "histogram",
    labels: ["pipeline", "stage"],
    help: "How long attempts that have ended had waited for their claim; the sum is an estimate from the buckets.",
  },
  runs: {
    name: "lockstep_attempt_run_seconds",
    type: "histogram",
    labels: ["pipeline", "stage"],
    help: "How long attempts that have ended were held by their worker; the sum is an estimate from the buckets.",
  },
  workers: gauge(
    "lockstep_workers",
    ["state"],
    "Workers that are live, or were lost in the last quarter of an hour.",
  ),
  lostJobs: gauge(
    "lockstep_lost_worker_jobs",
    [],
    "Jobs still held by workers whose lease is over; a sweep takes them back.",
  ),
  oldestClaim: gauge("lockstep_oldest_claim_seconds", [], "How long ago the oldest job in work was claimed."),
  processors: gauge(
    "lockstep_processors",
    ["pipeline", "stage", "state"],
    "Processors of live workers that are idle, busy or in error.",
  ),
  queued: gauge(
    "lockstep_queued_jobs",
    ["pipeline", "stage"],
    "Jobs that live workers have claimed and not started.",
  ),
  ...budgetMetrics,
} as const satisfies Record<string, PrometheusMetric>;

export interface QueueMetricsParts {
  readonly store: Pick<QueueStore, "stats" | "workers" | "stageTotals" | "stageWaits">;
  readonly budgets: BudgetReads;
  readonly clock: Pick<Clock, "now">;
}

/** The whole queue in numbers, for Prometheus. Read from counters: the cost grows with the scopes of budgets, and not with the jobs. */
export async function readQueueMetrics({ store, budgets, clock }: QueueMetricsParts): Promise<string> {
  const [counts, totals, waits, workers, spending] = await Promise.all([
    store.stats(),
    store.stageTotals(),
    store.stageWaits(),
    store.workers(),
    budgetFamilies(budgets),
  ]);
  const live = workers.filter(({ isAlive }) => isAlive);
  return prometheusText([
    ...countFamilies(counts),
    ...waitFamilies(waits),
    ...totalFamilies(totals),
    ...workerFamilies(workers, clock.now()),
    family(queueMetrics.processors, processorSamples(live)),
    family(queueMetrics.queued, queuedSamples(live)),
    ...spending,
  ]);
}

const finished: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

function countFamilies(counts: readonly StageCount[]): PrometheusFamily[] {
  // Finished jobs are counted by the moves: here a retry by a person would lower their number, and a counter must not fall.
  const live = counts.filter(({ status }) => !finished.has(status));
  const stages = counts.filter(({ status }) => status === "pending");
  return [
    family(
      queueMetrics.jobs,
      live.map(({ pipeline, stage, status, jobs }) => ({ labels: { pipeline, stage, status }, value: jobs })),
    ),
    family(
      queueMetrics.paused,
      stages.map(({ pipeline, stage, paused }) => ({ labels: { pipeline, stage }, value: paused ? 1 : 0 })),
    ),
  ];
}

function waitFamilies(waits: readonly StageWait[]): PrometheusFamily[] {
  const perStage = (metric: PrometheusMetric, measure: (wait: StageWait) => number) =>
    family(
      metric,
      waits.map((wait) => ({ labels: { pipeline: wait.pipeline, stage: wait.stage }, value: measure(wait) })),
    );
  return [
    perStage(queueMetrics.stageWorkers, ({ liveWorkers }) => liveWorkers),
    perStage(queueMetrics.pending, ({ pendingMs }) => (pendingMs ?? 0) / 1_000),
    perStage(queueMetrics.overdue, ({ overdueMs }) => (overdueMs ?? 0) / 1_000),
  ];
}

function totalFamilies(totals: readonly StageTotals[]): PrometheusFamily[] {
  return [
    family(
      queueMetrics.moves,
      totals.flatMap((stageTotals) =>
        stageCountNames.map((move) => ({
          labels: { pipeline: stageTotals.pipeline, stage: stageTotals.stage, move },
          value: stageTotals[move],
        })),
      ),
    ),
    family(
      queueMetrics.waits,
      totals.flatMap(({ pipeline, stage, waits }) => histogramSamples({ pipeline, stage }, waits)),
    ),
    family(
      queueMetrics.runs,
      totals.flatMap(({ pipeline, stage, runs }) => histogramSamples({ pipeline, stage }, runs)),
    ),
  ];
}

function workerFamilies(workers: readonly WorkerInfo[], now: Date): PrometheusFamily[] {
  const live = workers.filter(({ isAlive }) => isAlive);
  const lost = workers.filter(({ isAlive }) => !isAlive);
  const ages = live.flatMap(({ oldestJobAt }) =>
    oldestJobAt === null ? [] : [(now.getTime() - oldestJobAt.getTime()) / 1_000],
  );
  return [
    family(queueMetrics.workers, [
      { labels: { state: "live" }, value: live.length },
      { labels: { state: "lost" }, value: lost.length },
    ]),
    family(queueMetrics.lostJobs, [
      { labels: {}, value: lost.reduce((sum, { activeJobs }) => sum + activeJobs, 0) },
    ]),
    family(queueMetrics.oldestClaim, [{ labels: {}, value: Math.max(0, ...ages) }]),
  ];
}

// Above 70 minutes no finer bucket is needed.
const bucketsShown = 23;

/** `jobs[i]` is the number of times below 2^i ms that are not in an earlier bucket. */
function histogramSamples(
  labels: Readonly<Record<string, string>>,
  jobs: readonly number[],
): PrometheusSample[] {
  let count = 0;
  let sumMs = 0;
  const samples: PrometheusSample[] = [];
  for (const [index, some] of jobs.entries()) {
    count += some;
    sumMs += some * (index === 0 ? 0.5 : 0.75 * 2 ** index);
    if (index >= bucketsShown) continue;
    samples.push({ suffix: "_bucket", labels: { ...labels, le: String(2 ** index / 1_000) }, value: count });
  }
  return [
    ...samples,
    { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: count },
    { suffix: "_sum", labels, value: sumMs / 1_000 },
    { suffix: "_count", labels, value: count },
  ];
}

function gauge(name: string, labels: readonly string[], help: string): PrometheusMetric {
  return { name, type: "gauge", labels, help };
}

function family(metric: PrometheusMetric, samples: readonly PrometheusSample[]): PrometheusFamily {
  return { metric, samples };
}
