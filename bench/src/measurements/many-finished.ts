import { statfs } from "node:fs/promises";
import type pg from "pg";
import type { HistoryTable } from "../contenders/contender.ts";
import { machineMs } from "../machine/machine-clock.ts";
import { addJobs } from "./add-jobs.ts";
import { backlogWork } from "./backlog-work.ts";
import type { Bench, Measurement } from "./measurement.ts";
import { untilDrained } from "./until-drained.ts";
import { warmUp } from "./warm-up.ts";

export interface ManyFinishedParameters {
  readonly finished: number;
  readonly jobs: number;
  readonly warmUpJobs: number;
  readonly limitMs: number;
}

const copiesAtATime = 500_000;
/** More than the next copies and their log need. */
const leastFreeBytes = 8 * 2 ** 30;

/** The rate with an empty history, then with a long one, by the same worker. */
export const manyFinished: Measurement<ManyFinishedParameters> = async (bench, parameters) => {
  const { crew, meter, history } = bench;
  if (meter === null || history === null) throw new Error("This contender keeps no finished jobs.");
  await crew.open(1, bench);
  await warmUp(bench, parameters.warmUpJobs);
  const without = await rateOf(bench, parameters);
  const kept = await fillHistory(meter.client, history, parameters.finished);
  await meter.client.query("vacuum analyze");
  // What was written by hand is not to be written out during the measurement.
  await meter.client.query("checkpoint");
  const withHistory = await rateOf(bench, parameters);
  await crew.close();
  return {
    numbers: { jobsPerSecond: withHistory, manyToNone: withHistory / without },
    details: { kept, withoutJobsPerSecond: without },
    ...(kept < parameters.finished ? { note: `only ${kept} finished jobs: the disk holds no more` } : {}),
  };
};

async function rateOf(bench: Bench, { jobs, limitMs }: ManyFinishedParameters): Promise<number> {
  await addJobs(bench, { jobs, payloadBytes: 100, isAnalyzed: true });
  const startedAtMs = machineMs();
  const working = bench.crew.work(backlogWork(jobs));
  const isCounted = await bench.crew.untilCount(jobs, limitMs);
  if (isCounted) await untilDrained(bench, limitMs);
  const elapsedMs = machineMs() - startedAtMs;
  await working;
  const { count } = bench.crew;
  await bench.crew.rest();
  return Math.min(jobs, count) / (elapsedMs / 1_000);
}

/** Copies of the finished jobs that are there, so that it holds whatever columns a queue has. */
async function fillHistory(
  client: pg.Client,
  { table, fresh }: HistoryTable,
  wanted: number,
): Promise<number> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`,
    [table],
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => fresh[name] ?? `kept.${name}`);
  await client.query(`create temporary table kept as select * from ${table} limit 10000`);
  const present = await client.query<{ n: number }>("select count(*)::int as n from kept");
  const copied = present.rows[0]?.n ?? 0;
  if (copied === 0) throw new Error(`No finished job stands in ${table}.`);
  const folder = await client.query<{ data_directory: string }>("show data_directory");
  let kept = copied;
  while (kept < wanted) {
    const { bavail, bsize } = await statfs(folder.rows[0]?.data_directory ?? "/");
    if (bavail * bsize < leastFreeBytes) break;
    const copies = Math.min(copiesAtATime, wanted - kept);
    await client.query(
      `insert into ${table} (${names}) select ${values} from kept, generate_series(1, $1) limit $2`,
      [Math.ceil(copies / copied), copies],
    );
    kept += copies;
  }
  return kept;
}
