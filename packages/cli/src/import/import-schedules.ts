import { type Engine, RefusedError, type Schedule, ScheduleError } from "lockstep";
import { checkScheduleOptions } from "lockstep/internal";
import { type AddTakenParts, addTaken } from "./add-taken.ts";
import { type ScheduleReport, scheduleReport } from "./import-report.ts";
import type { Source, SourceSchedule } from "./source.ts";

export interface ImportSchedulesParts extends AddTakenParts {
  readonly engine: Pick<Engine, "addMany" | "schedule" | "schedules">;
  readonly source: Source;
  readonly isDryRun: boolean;
  readonly now: Date;
}

const schedulesPerPage = 1_000;

/**
 * Sets each schedule here, then removes it there. Whoever is killed in between leaves both, and the next import knows its
 * own by what it says. One that somebody else has set under the name is never changed.
 */
export async function importSchedules(
  parts: ImportSchedulesParts,
  schedules: readonly SourceSchedule[],
  pipelineOf: (queue: string) => string | null,
): Promise<ScheduleReport[]> {
  const known = schedules.length === 0 ? [] : await allSchedules(parts.engine);
  const reports: ScheduleReport[] = [];
  for (const schedule of schedules) {
    const pipeline = pipelineOf(schedule.queue);
    const reason =
      pipeline === null
        ? `No pipeline has the name ${schedule.queue}.`
        : await importOne(
            parts,
            schedule,
            pipeline,
            known.find(({ name }) => name === schedule.name),
          );
    reports.push(scheduleReport(schedule, reason));
  }
  return reports;
}

/** Null if it is here now, or would be; otherwise why not. */
async function importOne(
  parts: ImportSchedulesParts,
  schedule: SourceSchedule,
  pipeline: string,
  known: Schedule | undefined,
): Promise<string | null> {
  const { engine, source, kind, isDryRun } = parts;
  const { name, cron, timeZone, priority, queue } = schedule;
  if (cron === null) return schedule.problem ?? "It has no cron pattern.";
  const options = { cron, timeZone, payload: schedule.payload ?? null, priority, tags: [`imported:${kind}`] };
  if (known !== undefined) {
    const isOwn =
      known.tags.includes(`imported:${kind}`) &&
      known.pipeline === pipeline &&
      known.cron === cron &&
      known.timeZone === timeZone;
    if (!isOwn) return `There is another schedule ${name} here.`;
  }
  try {
    checkScheduleOptions(name, options);
    const refusal = await payloadRefusal(parts, schedule, { queue, pipeline });
    if (refusal !== null || isDryRun) return refusal;
    if (known === undefined) await engine.schedule(name, pipeline, options);
  } catch (error) {
    if (error instanceof ScheduleError || error instanceof RefusedError) return error.message;
    throw error;
  }
  await source.removeSchedule(schedule);
  return null;
}

async function allSchedules(engine: Pick<Engine, "schedules">): Promise<Schedule[]> {
  const all: Schedule[] = [];
  for (let after: string | undefined; ; after = all.at(-1)?.name) {
    const page = await engine.schedules({ limit: schedulesPerPage, after });
    all.push(...page);
    if (page.length < schedulesPerPage) return all;
  }
}

/** A schedule's payload is otherwise looked at only when its first tick is due. */
async function payloadRefusal(
  parts: ImportSchedulesParts,
  { payload, priority, key }: SourceSchedule,
  target: { readonly queue: string; readonly pipeline: string },
): Promise<string | null> {
  const job = {
    id: key,
    identity: key,
    createdAt: parts.now,
    payload,
    priority,
    scheduledFor: null,
    dedupKey: null,
    groupKey: null,
    tags: [],
    problem: null,
  };
  const { refused } = await parts.transactions.tryOut(() => addTaken(parts, target, [job]));
  return refused[0]?.reason ?? null;
}
