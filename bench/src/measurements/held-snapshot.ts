import pg from "pg";
import { rateBetween } from "../program/timeline.ts";
import { addJobs } from "./add-jobs.ts";
import { backlogWork } from "./backlog-work.ts";
import type { Measurement } from "./measurement.ts";
import { warmUp } from "./warm-up.ts";

export interface HeldSnapshotParameters {
  readonly jobs: number;
  readonly slices: number;
  readonly warmUpJobs: number;
  readonly limitMs: number;
}

/** A transaction somewhere keeps its snapshot while jobs are added and drained: no dead row can be cleaned. */
export const heldSnapshot: Measurement<HeldSnapshotParameters> = async (bench, parameters) => {
  const { crew, url } = bench;
  const { jobs, slices, warmUpJobs, limitMs } = parameters;
  await crew.open(1, bench);
  await warmUp(bench, warmUpJobs);
  const holder = new pg.Client({ connectionString: url, application_name: "bench: holds a snapshot" });
  await holder.connect();
  await holder.query("begin isolation level repeatable read");
  await holder.query("select pg_current_snapshot()");

  await addJobs(bench, { jobs, payloadBytes: 100, isAnalyzed: true });
  const working = crew.work(backlogWork(jobs));
  const isCounted = await crew.untilCount(jobs, limitMs);
  await working;
  const { marks, count } = crew;
  await holder.query("rollback");
  await holder.end();
  await crew.close();

  const slice = jobs / slices;
  const rates: number[] = [];
  for (let end = slice; end <= count; end += slice) rates.push(rateBetween(marks, end - slice, end));
  // The very first slice contains the start; the second has next to no dead rows yet.
  const first = rates[1];
  const last = rates.at(-1);
  if (first === undefined || last === undefined) {
    throw new Error(`Only ${count} jobs were handled within ${limitMs / 1_000} seconds.`);
  }
  return {
    numbers: { lastToFirst: last / first, lastSliceJobsPerSecond: last },
    details: { jobs, handled: count, isDrained: isCounted, slicesJobsPerSecond: rates.map(Math.round) },
  };
};
