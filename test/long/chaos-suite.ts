import { type ChaosOptions, defaultOptions, replayCommand } from "../chaos/chaos-options.ts";
import { chaosRun } from "../chaos/chaos-run.ts";
import { inRounds, type Round } from "./in-rounds.ts";
import type { LongSuite } from "./long-suite.ts";

// After so long another seed, and fresh processes.
const roundSeconds = 120;
const shortestSeconds = 10;

/** Chaos in rounds. */
export function chaosSuite(
  name: string,
  sentence: string,
  options: Partial<ChaosOptions> & Pick<ChaosOptions, "kinds">,
): LongSuite {
  return {
    name,
    sentence,
    run: (order) =>
      inRounds(order, {
        name,
        run(seed, secondsLeft) {
          const seconds = Math.round(Math.min(roundSeconds, Math.max(shortestSeconds, secondsLeft)));
          return round({ ...defaultOptions, ...options, faults: 1, seed, seconds }, order.tell);
        },
      }),
  };
}

async function round(options: ChaosOptions, tell: (sentence: string) => void): Promise<Round> {
  const replay = replayCommand(options);
  tell(replay);
  const report = await chaosRun(options, { tell });
  const named = (prefix: string, counts: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${prefix} ${name}`, count]));
  return {
    counts: {
      faults: report.faultsInAll,
      ...named("fault:", report.faults),
      "jobs acknowledged": report.acknowledged,
      "stage runs": report.stageRuns,
      "words of stale claims refused": report.refused,
      "jobs taken back after a fault": report.recovery.provoked,
      "jobs taken back without one": report.recovery.unprovoked,
      "of all these in time": Math.round(
        report.recovery.promptShare * (report.recovery.provoked + report.recovery.unprovoked),
      ),
      ...named("jobs", report.ends),
    },
    worst: { "lease (ms)": report.leaseMs, "recovery, 99th percentile (ms)": report.recovery.p99Ms },
    failures: report.violations,
    replay,
  };
}
