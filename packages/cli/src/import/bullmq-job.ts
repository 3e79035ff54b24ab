import type { BullMqJob, JobScheduler } from "./bullmq-library.ts";
import { clamped } from "./clamped.ts";
import { everyAsCron } from "./every-as-cron.ts";
import { scheduleName } from "./schedule-name.ts";
import type { SourceJob, SourceSchedule } from "./source.ts";

/** A job of BullMQ in the words of this queue. */
export async function bullMqJob(
  job: BullMqJob,
  /** Whether the runs of this scheduler stay there. */
  stays: (scheduler: string) => boolean,
  now: Date,
): Promise<SourceJob> {
  const id = job.id ?? "";
  return {
    id,
    // An id can be given again when its job is gone, and two servers count alike.
    identity: `${id} ${job.timestamp}`,
    createdAt: new Date(job.timestamp),
    payload: job.data,
    priority: priorityOf(job.priority),
    scheduledFor: dueOf(job, now),
    // An id of the caller's own keeps a second job away there, as a key does here.
    dedupKey: job.deduplicationId || (job.repeatJobKey ? null : job.opts.jobId) || null,
    groupKey: null,
    tags: [`name:${job.name}`.slice(0, 60)],
    problem: await problemOf(job, stays),
  };
}

/** Jobs without a priority run first there; the others from 1, the first, to two million. */
function priorityOf(priority: number | undefined): number {
  return clamped(10 + (priority ?? 0));
}

/** From when it was added; the wait for a retry begins anew, since its job does not say when it began. */
function dueOf({ timestamp, delay, attemptsMade }: BullMqJob, now: Date): Date | null {
  if (!(delay > 0)) return null;
  const due = new Date((attemptsMade > 0 ? now.getTime() : timestamp) + delay);
  return due > now ? due : null;
}

async function problemOf(job: BullMqJob, stays: (scheduler: string) => boolean): Promise<string | null> {
  if (job.parentKey) return "It belongs to a flow: another job waits for it.";
  if (job.repeatJobKey && stays(job.repeatJobKey)) {
    return `It is a run of the job scheduler "${job.repeatJobKey}", and only BullMQ may remove it.`;
  }
  const children = Object.values(await job.getDependenciesCount());
  return children.some((count) => (count ?? 0) > 0)
    ? "It belongs to a flow: it reads the results of other jobs."
    : null;
}

/** A job scheduler as a schedule, or why it cannot be one. */
export function bullMqSchedule(queue: string, scheduler: JobScheduler): SourceSchedule {
  const { key, pattern, every, tz, template } = scheduler;
  const problem = schedulerProblem(scheduler);
  return {
    queue,
    key,
    name: scheduleName(queue, key),
    cron: problem === null ? (pattern ?? everyAsCron(every ?? 0)) : null,
    timeZone: tz ?? "UTC",
    payload: template?.data ?? null,
    priority: priorityOf(template?.opts?.priority),
    problem,
  };
}

function schedulerProblem({ pattern, every, limit, startDate, endDate }: JobScheduler): string | null {
  if (limit || startDate || endDate)
    return "It has a limit, a start or an end date, and schedules here have none.";
  if (pattern) return null;
  if (every && everyAsCron(every) !== null) return null;
  return `No cron pattern says "every ${every} ms".`;
}
