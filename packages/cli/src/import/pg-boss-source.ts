import { checkVersion } from "./check-version.ts";
import { clamped } from "./clamped.ts";
import { scheduleName } from "./schedule-name.ts";
import type { Source, SourceSchedule } from "./source.ts";
import { type SqlDialect, SqlSource } from "./sql-source.ts";
import * as sql from "./store/pg-boss-statements.ts";
import { SourceDatabase } from "./store/source-database.ts";
import type { Transactions } from "./store/transactions.ts";

export interface SqlSourceOptions {
  readonly url: string;
  readonly schema: string;
  readonly here: Transactions;
  /** Leave what is taken over in the source, as ended, rather than delete it. */
  readonly keeps: boolean;
  readonly isForced: boolean;
}

interface JobRow {
  id: string;
  created_on: Date;
  created_text: string;
  data: unknown;
  priority: number;
  singleton_key: string | null;
  group_id: string | null;
  policy: string | null;
  due: Date;
  is_later: boolean;
}

interface ScheduleRow {
  name: string;
  key: string;
  kind: string;
  cron: string;
  timezone: string | null;
  data: unknown;
  options: { priority?: number } | null;
}

/** pg-boss 12.38. */
const knownVersions = ["46"];
// With these policies a key says what runs one at a time, and many jobs that wait may have it.
const turnPolicies = ["singleton", "key_strict_fifo"];

/** The queues of pg-boss. */
export async function openPgBoss(options: SqlSourceOptions): Promise<Source> {
  const whose = "pg-boss";
  const database = await SourceDatabase.open({ ...options, whose });
  try {
    await database.requireTable("version", whose);
    const [{ version = "none" } = {}] = await database.rows<{ version: string }>(sql.readVersion);
    checkVersion({
      whose,
      what: "schema",
      found: version,
      known: knownVersions,
      isForced: options.isForced,
    });
    const schedules = await database.rows<ScheduleRow>(sql.listSchedules);
    return new SqlSource({
      database,
      dialect: dialectOf(options.keeps),
      schedules: schedules.map(scheduleOf),
      remarks: [],
      removeSchedule: async ({ queue, key }) => void (await database.rows(sql.removeSchedule, [queue, key])),
    });
  } catch (error) {
    await database.close();
    throw error;
  }
}

function dialectOf(keeps: boolean): SqlDialect<JobRow> {
  return {
    kind: "pg-boss",
    statements: {
      count: sql.countJobs,
      look: sql.lookAtJobs,
      take: sql.takeJobs,
      remove: keeps ? sql.cancelJobs : sql.removeJobs,
      giveBack: sql.giveJobsBack,
    },
    placeArguments: (after) =>
      after === null ? ["-infinity", "00000000-0000-0000-0000-000000000000"] : JSON.parse(after),
    placeOf: ({ created_text, id }) => JSON.stringify([created_text, id]),
    jobOf(row) {
      const key = row.singleton_key || null;
      const isTurn = turnPolicies.includes(row.policy ?? "");
      return {
        id: row.id,
        identity: row.id,
        createdAt: row.created_on,
        payload: row.data,
        // There the larger is the sooner, and 0 the default.
        priority: clamped(10 - row.priority),
        scheduledFor: row.is_later ? row.due : null,
        dedupKey: isTurn ? null : key,
        groupKey: row.group_id || (isTurn ? key : null),
        tags: [],
        problem: null,
      };
    },
  };
}

function scheduleOf({ name, key, kind, cron, timezone, data, options }: ScheduleRow): SourceSchedule {
  const isCron = kind === "cron";
  return {
    queue: name,
    key,
    name: scheduleName(name, key),
    cron: isCron ? cron : null,
    timeZone: timezone ?? "UTC",
    payload: data,
    priority: clamped(10 - (options?.priority ?? 0)),
    problem: isCron ? null : `It is a recurrence rule (${cron}), and a schedule here has a cron pattern.`,
  };
}
