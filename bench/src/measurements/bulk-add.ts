import { machineMs } from "../machine/machine-clock.ts";
import { payloadSlices } from "../program/payloads.ts";
import type { Measurement } from "./measurement.ts";

export interface BulkAddParameters {
  readonly jobs: number;
  readonly payloadBytes: number;
}

/** Jobs a second when one caller has many. */
export const bulkAdd: Measurement<BulkAddParameters> = async ({ driver, meter }, { jobs, payloadBytes }) => {
  const slices = [...payloadSlices(jobs, payloadBytes)];
  // The first calls connect, make plans and compile.
  for (const slice of payloadSlices(Math.ceil(jobs / 10), payloadBytes)) await driver.addMany(slice, 1);
  const before = await meter?.read();
  const startedAtMs = machineMs();
  for (const slice of slices) await driver.addMany(slice, 1);
  const elapsedMs = machineMs() - startedAtMs;
  const after = await meter?.read();
  const walBytesPerJob = before && after ? (after.walBytes - before.walBytes) / jobs : null;
  return {
    numbers: { jobsPerSecond: jobs / (elapsedMs / 1_000), walBytesPerJob },
    details: { jobs, elapsedMs },
  };
};
