import { percentile } from "./lateness.ts";
import type { Move } from "./witness.ts";

/** The moment from which on a process cannot keep its jobs. */
export interface Loss {
  readonly pid: number;
  readonly atMs: number;
}

export interface Recovery {
  /** Jobs that were taken back after a fault, and jobs taken back though no fault had hit their worker. */
  readonly provoked: number;
  readonly unprovoked: number;
  /** From the fault to the next claim of each job. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** What the given share of them stayed below. */
  readonly promptMs: number;
}

/** How long jobs stood still when their worker was hit. */
export function recoveryOf(
  moves: readonly Move[],
  losses: readonly Loss[],
  pidOf: ReadonlyMap<string, number>,
  promptShare: number,
): Recovery {
  const claimsOf = new Map<string, number[]>();
  for (const { kind, job_id, at_ms } of moves) {
    if (kind === "claimed") claimsOf.set(job_id, [...(claimsOf.get(job_id) ?? []), at_ms]);
  }
  const lossesOf = (pid: number | undefined) =>
    losses.filter((loss) => loss.pid === pid).sort((one, other) => one.atMs - other.atMs);
  const spansMs: number[] = [];
  let unprovoked = 0;
  for (const { outcome, status, worker_id, job_id, at_ms } of moves) {
    if (outcome !== "lost" || status !== "pending") continue;
    const pid = pidOf.get(worker_id ?? "");
    const loss = lossesOf(pid).findLast(({ atMs }) => atMs <= at_ms);
    const claimedAtMs = claimsOf.get(job_id)?.find((claimMs) => claimMs > at_ms);
    if (loss === undefined) unprovoked += 1;
    else if (claimedAtMs !== undefined) spansMs.push(claimedAtMs - loss.atMs);
  }
  return {
    provoked: spansMs.length,
    unprovoked,
    medianMs: Math.round(percentile(spansMs, 0.5)),
    p99Ms: Math.round(percentile(spansMs, 0.99)),
    promptMs: Math.round(percentile(spansMs, promptShare)),
  };
}
