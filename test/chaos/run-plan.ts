import { SeededRandom } from "../scenarios/requests/seeded-random.ts";

export const stageNames = ["collect", "shape", "deliver"] as const;
export type StageName = (typeof stageNames)[number];

/** An attempt may take so many leases in the stage that has a limit. */
export const timeoutInLeases = 2.5;

/** What one attempt of one stage does. */
export interface RunPlan {
  readonly durationMs: number;
  readonly end: "done" | "fail" | "hang";
  /** It goes on when its signal aborts: then only the fence keeps its late word out. */
  readonly isHeedless: boolean;
}

/**
 * The same for the same job, stage and attempt. Durations straddle the lease, for a broken fence shows only when tries
 * outlive their claims: 40 % are over at once, 40 % take about a lease, 20 % several.
 */
export function planOf(jobSeed: number, stage: StageName, attempt: number, leaseMs: number): RunPlan {
  const random = new SeededRandom(jobSeed * 1_000 + stageNames.indexOf(stage) * 100 + attempt);
  const isHeedless = random.chance(0.5);
  const between = (least: number, most: number) => (least + random.number() * (most - least)) * leaseMs;
  if (stage === "shape") {
    // All of the 5 % that time out are here, so that the other stages may take long.
    if (random.chance(0.15)) return { durationMs: between(2.6, 3.5), end: "hang", isHeedless };
    const durationMs = random.chance(0.5) ? between(0, 0.1) : between(0.3, 1.8);
    return { durationMs, end: random.chance(0.1) ? "fail" : "done", isHeedless };
  }
  const length = random.number();
  const durationMs = length < 0.35 ? between(0, 0.1) : length < 0.7 ? between(0.3, 1.8) : between(3, 6);
  return { durationMs, end: random.chance(0.1) ? "fail" : "done", isHeedless };
}
