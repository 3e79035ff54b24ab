import { machineMs } from "../machine/machine-clock.ts";
import { payload } from "../program/payloads.ts";
import { quantile } from "../results/statistics.ts";
import type { Measurement } from "./measurement.ts";

export interface SingleAddsParameters {
  readonly callers: number;
  readonly forMs: number;
  readonly payloadBytes: number;
}

/** Jobs a second when each call adds one job and waits for its answer. */
export const singleAdds: Measurement<SingleAddsParameters> = async (
  { driver },
  { callers, forMs, payloadBytes },
) => {
  // Each caller's first call, so that all connections are open.
  await Promise.all(Array.from({ length: callers }, (_, n) => driver.add(payload(n, payloadBytes))));
  const callMs: number[] = [];
  const startedAtMs = machineMs();
  const call = async () => {
    for (let calledAtMs = machineMs(); calledAtMs < startedAtMs + forMs; ) {
      await driver.add(payload(callMs.length, payloadBytes));
      const answeredAtMs = machineMs();
      callMs.push(answeredAtMs - calledAtMs);
      calledAtMs = answeredAtMs;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  const elapsedMs = machineMs() - startedAtMs;
  return {
    numbers: { jobsPerSecond: callMs.length / (elapsedMs / 1_000), p50Ms: quantile(callMs, 0.5) },
    details: { calls: callMs.length, elapsedMs, p99Ms: quantile(callMs, 0.99) },
  };
};
