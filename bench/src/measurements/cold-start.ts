import { coldStart } from "../program/cold-start.ts";
import { payload } from "../program/payloads.ts";
import type { ServerReading } from "../program/server-meter.ts";
import { median } from "../results/statistics.ts";
import type { Measurement } from "./measurement.ts";

export interface ColdStartParameters {
  readonly task: "add" | "work";
  readonly starts: number;
  readonly limitMs: number;
}

// The first one makes the pipeline or the queue known, as the first process after a deploy does, and fills the file cache.
const unmeasured = 1;

/** From the start of a new process to its first job: added and committed, or with its handler. One process after the other. */
export const coldStarts: Measurement<ColdStartParameters> = async (bench, { task, starts, limitMs }) => {
  const { driver, coldProgram, meter, url } = bench;
  const begin = async () => {
    if (task === "work") await driver.add(payload(1, 100));
    return await coldStart(coldProgram, task, url, limitMs);
  };
  for (let n = 0; n < unmeasured; n += 1) await begin();
  const before = await meter?.read();
  const measured = [];
  for (let n = 0; n < starts; n += 1) measured.push(await begin());
  const after = await meter?.read();
  if (task === "add" && (await driver.isDrained())) {
    throw new Error(`${starts} processes say that they have added a job, and the queue is empty.`);
  }
  const serverMs = serverCpuMs(before, after, starts);
  const processMs = median(measured.map(({ cpuMs }) => cpuMs));
  return {
    numbers: {
      reachedMs: median(measured.map(({ reachedMs }) => reachedMs)),
      endedMs: median(measured.map(({ endedMs }) => endedMs)),
      cpuMs: serverMs === null ? null : processMs + serverMs,
    },
    details: { starts, processMs, serverMs },
  };
};

/** What one start costs the server, with what adding its job costs where it works on one: the same for all. */
function serverCpuMs(before?: ServerReading, after?: ServerReading, starts = 1): number | null {
  if (typeof before?.cpuMs !== "number" || typeof after?.cpuMs !== "number") return null;
  return (after.cpuMs - before.cpuMs) / starts;
}
