// In real time: only real processes can be killed, frozen and cut off, and a lease ends by PostgreSQL's clock.
import { expect, test } from "vitest";
import { type ChaosOptions, defaultOptions, replayCommand } from "./chaos-options.ts";
import { chaosRun } from "./chaos-run.ts";
import { databaseFaults } from "./faults/database-faults.ts";
import { networkFaults } from "./faults/network-faults.ts";
import { slowness } from "./slowness.ts";

const limitMs = 600_000;
// Few of them, since every test run pays for each: the long runs have thousands. A machine that is busy with other things gets
// fewer still, since each takes it longer.
const pace = Math.min(1, 1.5 / slowness());

/**
 * Another story each time; a failure names the command that tells it again. A machine that does something else for a moment
 * holds up single jobs, so that here most of them have to come back in time, and nearly all in the long runs.
 */
function aRun(options: Partial<ChaosOptions>): ChaosOptions {
  return {
    ...defaultOptions,
    // Not shorter: a busy machine does not renew it in time, and jobs are lost without any fault.
    leaseMs: 1_500,
    promptShare: 0.9,
    seed: Math.floor(Math.random() * 1_000_000),
    ...options,
  };
}

test(
  "under forty faults of processes nothing is lost, doubled or taken from a stale claim, and everything ends",
  async () => {
    // So few faults may leave no stale claim that still speaks; the long runs ask for those. That they bite is seen by the jobs
    // that lost their worker.
    const options = aRun({ seconds: 5, faults: Math.ceil(40 * pace), refusals: 0 });
    const report = await chaosRun(options);
    expect(report.violations, replayCommand(options)).toEqual([]);
    expect(report.recovery.provoked).toBeGreaterThan(0);
    expect(report.faultsInAll).toBeGreaterThanOrEqual(options.faults);
  },
  limitMs,
);

test(
  "nor when PostgreSQL crashes, is read-only or loses connections, and when these are cut, held up or lose replies",
  async () => {
    const kinds = [...Object.keys(databaseFaults), ...Object.keys(networkFaults)];
    const options = aRun({
      seconds: 1,
      faults: Math.ceil(8 * pace),
      kinds,
      workers: 3,
      apis: 1,
      liveJobs: 20,
      refusals: 0,
      // Few are lost here, all at once with their worker: one that comes back late may be a third of them.
      promptShare: 0.5,
    });
    const report = await chaosRun(options);
    expect(report.violations, replayCommand(options)).toEqual([]);
  },
  limitMs,
);
