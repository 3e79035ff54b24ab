import { percentile } from "./lateness.ts";
import type { Move } from "./witness.ts";

/** The moment from which on a process cannot keep its jobs. */
export interface Loss {
  readonly pid: number;
  readonly atMs: number;
}

/** While nobody could rely on PostgreSQL. */
export interface Outage {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Recovery {
  /** Jobs that were taken back after a fault, and jobs taken back though no fault had hit their worker. */
  readonly provoked: number;
  readonly unprovoked: number;
  /** From the fault, or from the end of the last outage after it, to the next claim of each job. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** The share of them that were claimed again in time. */
  readonly promptShare: number;
}

export interface RecoveryParts {
  readonly moves: readonly Move[];
  readonly losses: readonly Loss[];
  readonly outages: readonly Outage[];
  readonly pidOf: ReadonlyMap<string, number>;
  readonly leaseMs: number;
  /** The most that this machine lagged behind within a span. */
  readonly latenessMs: (fromMs: number, untilMs: number) => number;
}

// After an outage the engine waits so long before it enters or listens again, whatever the lease is.
const comesBackMs = 1_000;

/** How long jobs stood still when their worker was hit. The harness and PostgreSQL go by the clock of one machine. */
export function recoveryOf(parts: RecoveryParts): Recovery {
  const spans = spansOf(parts);
  const inTime = spans.provoked.filter(({ fromMs, untilMs, isAfterOutage }) => {
    // A lease, the next sweep and the next look of another worker fit into two leases. One more is for a machine that restarts
    // processes all the while, and what it took to answer meanwhile comes on top.
    const boundMs = 3 * parts.leaseMs + 3 * parts.latenessMs(fromMs, untilMs);
    return untilMs - fromMs <= boundMs + (isAfterOutage ? comesBackMs : 0);
  });
  const spansMs = spans.provoked.map(({ fromMs, untilMs }) => untilMs - fromMs);
  return {
    provoked: spansMs.length,
    unprovoked: spans.unprovoked,
    medianMs: Math.round(percentile(spansMs, 0.5)),
    p99Ms: Math.round(percentile(spansMs, 0.99)),
    promptShare: spansMs.length === 0 ? 1 : inTime.length / spansMs.length,
  };
}

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly isAfterOutage: boolean;
}

function spansOf({ moves, losses, outages, pidOf }: RecoveryParts): {
  provoked: Span[];
  unprovoked: number;
} {
  const claimsOf = new Map<string, number[]>();
  for (const { kind, job_id, at_ms } of moves) {
    if (kind === "claimed") claimsOf.set(job_id, [...(claimsOf.get(job_id) ?? []), at_ms]);
  }
  const lossesOf = (pid: number | undefined) =>
    losses.filter((loss) => loss.pid === pid).sort((one, other) => one.atMs - other.atMs);
  const provoked: Span[] = [];
  let unprovoked = 0;
  for (const { outcome, status, worker_id, job_id, at_ms } of moves) {
    if (outcome !== "lost" || status !== "pending") continue;
    const loss = lossesOf(pidOf.get(worker_id ?? "")).findLast(({ atMs }) => atMs <= at_ms);
    const untilMs = claimsOf.get(job_id)?.find((claimMs) => claimMs > at_ms);
    if (loss === undefined) unprovoked += 1;
    else if (untilMs !== undefined) {
      // Claims go through in some outages, too: from one that is not over then, nobody had to come back.
      const ends = outages.map((outage) => outage.untilMs).filter((ms) => ms > loss.atMs && ms < untilMs);
      provoked.push({ fromMs: Math.max(loss.atMs, ...ends), untilMs, isAfterOutage: ends.length > 0 });
    }
  }
  return { provoked, unprovoked };
}
