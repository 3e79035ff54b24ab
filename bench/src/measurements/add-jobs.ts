import { payloadSlices } from "../program/payloads.ts";
import type { Bench } from "./measurement.ts";

/** Fills the queue, and brings the planner's statistics up to date where the run is to be a warm one. */
export async function addJobs(
  { driver, meter }: Bench,
  {
    jobs,
    payloadBytes,
    stages = 1,
    isAnalyzed,
  }: { jobs: number; payloadBytes: number; stages?: number; isAnalyzed: boolean },
): Promise<void> {
  for (const payloads of payloadSlices(jobs, payloadBytes)) await driver.addMany(payloads, stages);
  if (isAnalyzed) await meter?.analyze();
}
