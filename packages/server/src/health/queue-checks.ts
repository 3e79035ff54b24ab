import type { HealthReport, RecoveredJobs, StageWait, WorkerInfo } from "lockstep";
import type { HealthCheck } from "../contract/health.ts";
import { healthCheck } from "./health-check.ts";

interface QueueState {
  readonly workers: readonly WorkerInfo[];
  readonly waits: readonly StageWait[];
  readonly recovered: RecoveredJobs;
  /** Of the worker of this process; null when it has none. */
  readonly report: HealthReport | null;
}

const overdueAfterMs = 60_000;

/** Whether jobs are taken, and taken back from those who are gone. */
export function queueChecks({ workers, waits, recovered, report }: QueueState): HealthCheck[] {
  const lost = workers.filter(({ isAlive }) => !isAlive);
  const held = lost.reduce((sum, { activeJobs }) => sum + activeJobs, 0);
  const deserted = waits.filter(({ liveWorkers, pendingMs }) => liveWorkers === 0 && pendingMs !== null);
  const [nobody] = deserted;
  return [
    healthCheck({
      check: "lost workers",
      value: lost.length,
      threshold: 0,
      advice:
        held > 0
          ? "They hold jobs that only a live worker can take back: start a worker."
          : "They ended without deregistering, or lost their connection to the database; their jobs were taken back. They leave the list after a quarter of an hour.",
    }),
    // Workers may be lost, and their jobs are taken back: that is no trouble until a job is lost again and again.
    healthCheck({
      check: "jobs recovered in the last hour",
      value: recovered.recovered,
      threshold: null,
    }),
    healthCheck({
      check: "jobs failed by losses in the last hour",
      value: recovered.failed,
      threshold: 0,
      advice:
        "Their workers were lost each time they ran: look for WorkerLostError, and check the memory of the workers.",
    }),
    healthCheck({
      check: "stages without a worker",
      value: deserted.length,
      threshold: 0,
      advice: `Jobs wait in ${nobody?.pipeline}/${nobody?.stage} and no worker serves it: start one that does.`,
    }),
    healthCheck({
      check: "overdue ms",
      value: Math.max(0, ...waits.map(({ overdueMs }) => overdueMs ?? 0)),
      threshold: overdueAfterMs,
      advice: "Jobs are due and no worker claims them: start more workers.",
    }),
    ...(report === null ? [] : [ownWorker(report)]),
  ];
}

function ownWorker({ problems }: HealthReport): HealthCheck {
  return healthCheck({
    check: "worker of this process",
    value: problems.length,
    threshold: 0,
    advice: problems.join("; "),
  });
}
