import { type ChaosOptions, defaultOptions, replayCommand } from "../chaos/chaos-options.ts";
import type { ChaosReport } from "../chaos/chaos-report.ts";
import { chaosRun } from "../chaos/chaos-run.ts";
import type { LongSuite, SuiteOrder, SuiteOutcome } from "./long-suite.ts";

// Another seed, and fresh processes, after so long.
const roundSeconds = 120;

/** Chaos in rounds, each with a seed of its own, for as long as it may take. */
export function chaosSuite(
  name: string,
  sentence: string,
  options: Partial<ChaosOptions> & Pick<ChaosOptions, "kinds">,
): LongSuite {
  return { name, sentence, run: (order) => runRounds(options, order) };
}

async function runRounds(
  options: Partial<ChaosOptions>,
  { seed, minutes, tell }: SuiteOrder,
): Promise<SuiteOutcome> {
  const endMs = performance.now() + minutes * 60_000;
  const figures: Record<string, number> = {};
  const failures: string[] = [];
  let replay = "";
  for (let round = 0; round === 0 || performance.now() < endMs; round += 1) {
    const leftSeconds = Math.max(10, Math.round((endMs - performance.now()) / 1_000));
    const run: ChaosOptions = {
      ...defaultOptions,
      ...options,
      seed: seed + round,
      seconds: Math.min(roundSeconds, leftSeconds),
      faults: 1,
    };
    if (failures.length === 0) replay = replayCommand(run);
    tell(replayCommand(run));
    const report = await chaosRun(run, { tell });
    for (const violation of report.violations) tell(violation);
    failures.push(...report.violations.map((violation) => `seed ${run.seed}: ${violation}`));
    addUp(figures, report);
  }
  return { figures, failures, replay };
}

function addUp(figures: Record<string, number>, report: ChaosReport): void {
  const add = (name: string, count: number) => {
    figures[name] = (figures[name] ?? 0) + count;
  };
  const atMost = (name: string, value: number) => {
    figures[name] = Math.max(figures[name] ?? 0, value);
  };
  add("rounds", 1);
  add("faults", report.faultsInAll);
  for (const [kind, count] of Object.entries(report.faults)) add(`faults: ${kind}`, count);
  add("jobs acknowledged", report.acknowledged);
  add("stage runs", report.stageRuns);
  add("stale words refused", report.refused);
  add("jobs taken back", report.recovery.provoked + report.recovery.unprovoked);
  for (const [status, count] of Object.entries(report.ends)) add(`jobs ${status}`, count);
  atMost("lease (ms, longest)", report.leaseMs);
  atMost("recovery p99 (ms, worst round)", report.recovery.p99Ms);
}
