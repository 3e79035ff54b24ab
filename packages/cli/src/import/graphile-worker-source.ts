import { checkVersion } from "./check-version.ts";
import { clamped } from "./clamped.ts";
import type { SqlSourceOptions } from "./pg-boss-source.ts";
import type { Source } from "./source.ts";
import { type SqlDialect, SqlSource } from "./sql-source.ts";
import * as sql from "./store/graphile-worker-statements.ts";
import { SourceDatabase } from "./store/source-database.ts";

interface JobRow {
  id: string;
  created_at: Date;
  payload: unknown;
  priority: number;
  run_at: Date;
  is_later: boolean;
  key: string | null;
  queue_name: string | null;
}

/** The last migration of graphile-worker 0.18. */
const knownVersions = ["20"];

/** The tasks of graphile-worker; each is a queue here. */
export async function openGraphileWorker(options: SqlSourceOptions): Promise<Source> {
  const whose = "graphile-worker";
  const database = await SourceDatabase.open({ ...options, whose });
  try {
    await database.requireTable("migrations", whose);
    const [{ version = "none" } = {}] = await database.rows<{ version: string }>(sql.readVersion);
    checkVersion({
      whose,
      what: "schema",
      found: version,
      known: knownVersions,
      isForced: options.isForced,
    });
    const crontabs = await database.rows<{ identifier: string }>(sql.listCrontabs);
    return new SqlSource({
      database,
      dialect: dialectOf(options.keeps),
      schedules: [],
      remarks: crontabs.map(({ identifier }) => remarkOn(identifier)),
      removeSchedule: async () => {},
    });
  } catch (error) {
    await database.close();
    throw error;
  }
}

function remarkOn(identifier: string): string {
  const call = `engine.schedule(${JSON.stringify(identifier)}, pipeline, { cron, payload })`;
  return `The crontab item "${identifier}" is in your code, and the database knows only its name: put \`await ${call}\` there, and take the line out of the crontab.`;
}

function dialectOf(keeps: boolean): SqlDialect<JobRow> {
  return {
    kind: "graphile-worker",
    statements: {
      count: sql.countJobs,
      look: sql.lookAtJobs,
      take: sql.takeJobs,
      remove: keeps ? sql.failJobs : sql.removeJobs,
      giveBack: sql.giveJobsBack,
    },
    placeArguments: (after) => [after ?? "0"],
    placeOf: ({ id }) => id,
    jobOf: (row) => ({
      id: row.id,
      // Numbers of another database are the same; their moments are not.
      identity: `${row.id} ${row.created_at.toISOString()}`,
      createdAt: row.created_at,
      payload: row.payload,
      // The smaller is the sooner there too, and 0 the default.
      priority: clamped(10 + row.priority),
      scheduledFor: row.is_later ? row.run_at : null,
      dedupKey: row.key || null,
      groupKey: row.queue_name || null,
      tags: [],
      problem: null,
    }),
  };
}
