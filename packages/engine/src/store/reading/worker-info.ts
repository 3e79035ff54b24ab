/** A worker as the database knows it, in whatever language it runs. */
export interface WorkerInfo {
  readonly workerId: string;
  readonly name: string;
  readonly host: string | null;
  readonly pid: number | null;
  readonly version: string | null;
  readonly isAlive: boolean;
  readonly startedAt: Date;
  readonly heartbeatAt: Date;
  readonly leaseUntil: Date;
  readonly stages: readonly string[];
  readonly activeJobs: number;
  readonly oldestJobAt: Date | null;
  readonly newestJobAt: Date | null;
  readonly report: unknown;
}

/** A row of active_workers. */
export interface WorkerRow {
  worker_id: string;
  name: string;
  host: string | null;
  pid: number | null;
  version: string | null;
  alive: boolean;
  started_at: Date;
  heartbeat_at: Date;
  lease_until: Date;
  stages: string[];
  active_jobs: string;
  oldest_job: Date | null;
  newest_job: Date | null;
  report: unknown;
}

export function workerInfoOf(row: WorkerRow): WorkerInfo {
  return {
    workerId: row.worker_id,
    name: row.name,
    host: row.host,
    pid: row.pid,
    version: row.version,
    isAlive: row.alive,
    startedAt: row.started_at,
    heartbeatAt: row.heartbeat_at,
    leaseUntil: row.lease_until,
    stages: row.stages,
    activeJobs: Number(row.active_jobs),
    oldestJobAt: row.oldest_job,
    newestJobAt: row.newest_job,
    report: row.report,
  };
}
