import { setTimeout as sleep } from "node:timers/promises";
import { machineMs } from "../machine/machine-clock.ts";
import { payload } from "../program/payloads.ts";
import type { Measurement } from "./measurement.ts";

export interface IdleWorkersParameters {
  readonly processes: number;
  readonly workersPerProcess: number;
  readonly settleMs: number;
  readonly forMs: number;
  /** Between two jobs of the trickle. */
  readonly everyMs: number;
}

/** What server and workers use while next to nothing is to be done, as parts of one core. */
export const idleWorkers: Measurement<IdleWorkersParameters> = async (bench, parameters) => {
  const { driver, crew, meter } = bench;
  const { processes, workersPerProcess, settleMs, forMs, everyMs } = parameters;
  if (meter === null) throw new Error("The store's own use is not measured.");
  await crew.open(processes, bench, workersPerProcess);
  await crew.work({ stages: 1, processors: null, waitMs: 0, reportAt: 0, isTimed: false, isBusy: false });
  await sleep(settleMs);
  const usageBefore = await crew.usage();
  const before = await meter.read();
  const startedAtMs = machineMs();
  let added = 0;
  while (machineMs() < startedAtMs + forMs) {
    await driver.add(payload(added, 100));
    added += 1;
    await sleep(everyMs);
  }
  const elapsedMs = machineMs() - startedAtMs;
  const usage = await crew.usage();
  const after = await meter.read();
  const handled = crew.count;
  await crew.close();

  const workersMs = usage.reduce(
    (sum, { cpuMs }, index) => sum + cpuMs - (usageBefore[index]?.cpuMs ?? 0),
    0,
  );
  const serverMs = before.cpuMs === null || after.cpuMs === null ? null : after.cpuMs - before.cpuMs;
  const percent = (ms: number) => (ms / elapsedMs) * 100;
  return {
    numbers: { corePercent: serverMs === null ? null : percent(serverMs + workersMs) },
    details: {
      workers: processes * workersPerProcess,
      added,
      handled,
      serverPercent: serverMs === null ? null : percent(serverMs),
      workersPercent: percent(workersMs),
      transactionsPerSecond: (after.transactions - before.transactions) / (elapsedMs / 1_000),
    },
  };
};
