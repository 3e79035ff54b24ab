import type {
  Attempt,
  AttemptLogLine,
  Job,
  JobError,
  JobProgress,
  JobStatus,
  JobSummary,
  JobWait,
  PastWait,
} from "../../jobs/reading/job.ts";

/** A row of list_jobs. */
export interface JobSummaryRow {
  id: string;
  pipeline: string;
  stage: string;
  status: JobStatus;
  priority: number;
  attempt: number;
  losses: number;
  progress: number | null;
  progress_note: string | null;
  progress_data?: unknown;
  owner: string | null;
  group_key: string | null;
  dedup_key: string | null;
  batch_id: string | null;
  tags: string[];
  added_at: Date;
  scheduled_for: Date | null;
  claimed_at: Date | null;
  finished_at: Date | null;
  cancel_requested_at: Date | null;
  worker_id: string | null;
  error: JobError | null;
  fingerprint: string | null;
  version: string;
}

/** A row of get_job. */
export interface JobRow extends JobSummaryRow {
  payload: unknown;
  outputs: Record<string, unknown> | null;
  result: unknown;
  attempts: AttemptRecord[];
  payload_bytes: number;
  forked_from: string | null;
  parent_id: string | null;
  branch: string | null;
  left_out: Job["leftOut"];
  wait: WaitRecord | null;
}

/** A wait as get_job and list_waits tell it. */
export interface WaitRecord extends Omit<JobWait, "since" | "until" | "pausedAt"> {
  since: string;
  until: string | null;
  pausedAt: string | null;
}

interface AttemptRecord extends Omit<Attempt, "claimedAt" | "endedAt" | "log" | "outcome"> {
  outcome: Attempt["outcome"] | PastWait["outcome"];
  since?: string;
  by?: string;
  claimedAt?: string;
  endedAt: string | null;
  log?: (Omit<AttemptLogLine, "at"> & { at: string })[];
}

export function summaryOf(row: JobSummaryRow): JobSummary {
  return {
    id: row.id,
    pipeline: row.pipeline,
    stage: row.stage,
    status: row.status,
    priority: row.priority,
    attempt: row.attempt,
    losses: row.losses,
    error: row.error,
    progress: progressOf(row),
    owner: row.owner,
    groupKey: row.group_key,
    dedupKey: row.dedup_key,
    batchId: row.batch_id,
    tags: row.tags,
    addedAt: row.added_at,
    scheduledFor: row.scheduled_for,
    claimedAt: row.claimed_at,
    finishedAt: row.finished_at,
    cancelRequestedAt: row.cancel_requested_at,
    workerId: row.worker_id,
    fingerprint: row.fingerprint,
    version: row.version,
  };
}

export function jobOf(row: JobRow): Job {
  return {
    ...summaryOf(row),
    payload: row.payload,
    outputs: row.outputs ?? {},
    result: row.result,
    forkedFrom: row.forked_from,
    parentId: row.parent_id,
    branch: row.branch,
    payloadBytes: row.payload_bytes,
    leftOut: row.left_out,
    // A retry by a person leaves a mark among the attempts, and so does a wait; they are no attempts.
    attempts: row.attempts.filter((record) => record.claimedAt !== undefined).map(attemptOf),
    wait: row.wait === null ? null : waitOf(row.wait),
    waits: row.attempts.flatMap(pastWaitOf),
  };
}

export function waitOf({ since, until, pausedAt, ...rest }: WaitRecord): JobWait {
  return {
    ...rest,
    since: new Date(since),
    until: until === null ? null : new Date(until),
    pausedAt: pausedAt === null ? null : new Date(pausedAt),
  };
}

const waitOutcomes = ["signalled", "timed_out", "slept"] as const;

function pastWaitOf({ stage, outcome, since, endedAt, by }: AttemptRecord): PastWait[] {
  const ended = waitOutcomes.find((known) => known === outcome);
  if (ended === undefined || since === undefined || endedAt === null) return [];
  return [{ stage, outcome: ended, since: new Date(since), endedAt: new Date(endedAt), by: by ?? null }];
}

function progressOf(row: JobSummaryRow): JobProgress | null {
  if (row.progress === null) return null;
  return { percent: row.progress, note: row.progress_note, data: row.progress_data ?? null };
}

function attemptOf(record: AttemptRecord): Attempt {
  const { claimedAt, endedAt, log, ...rest } = record;
  return {
    ...(rest as Pick<Attempt, "stage" | "attempt" | "outcome" | "workerId" | "error">),
    claimedAt: new Date(claimedAt ?? 0),
    endedAt: endedAt === null ? null : new Date(endedAt),
    ...(log && { log: log.map((line) => ({ ...line, at: new Date(line.at) })) }),
  };
}
