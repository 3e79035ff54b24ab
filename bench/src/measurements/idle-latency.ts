import { setTimeout as sleep } from "node:timers/promises";
import { payload } from "../program/payloads.ts";
import { quantile } from "../results/statistics.ts";
import type { Measurement } from "./measurement.ts";
import { warmUp } from "./warm-up.ts";

export interface IdleLatencyParameters {
  readonly jobs: number;
  readonly warmUpJobs: number;
  readonly limitMs: number;
}

const unmeasured = 2;

/** From just before the call of add to the handler's first line, in another process, one job at a time on an idle queue. */
export const idleLatency: Measurement<IdleLatencyParameters> = async (bench, parameters) => {
  const { driver, crew } = bench;
  const { jobs, warmUpJobs, limitMs } = parameters;
  await crew.open(1, bench);
  await warmUp(bench, warmUpJobs);
  await crew.work({ stages: 1, processors: null, waitMs: 0, reportAt: 0, isTimed: true, isBusy: false });
  const giveUpAt = performance.now() + limitMs;
  for (let n = 1; n <= jobs + unmeasured && performance.now() < giveUpAt; n += 1) {
    await driver.add(payload(n, 100, true));
    await crew.untilCount(n, limitMs);
    // Uneven, so that no timer of a queue happens to be in step with it; long enough to be idle again.
    await sleep(15 + Math.random() * 15);
  }
  const latenciesMs = crew.latenciesMs.slice(unmeasured);
  await crew.close();
  if (latenciesMs.length === 0) throw new Error(`Too few jobs began within ${limitMs / 1_000} seconds.`);
  return {
    numbers: { p50Ms: quantile(latenciesMs, 0.5), p99Ms: quantile(latenciesMs, 0.99) },
    details: { jobs: latenciesMs.length, maxMs: Math.max(...latenciesMs) },
  };
};
