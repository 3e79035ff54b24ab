import { percentile } from "./lateness.ts";
import type { Move } from "./witness.ts";

/** The span in which a process cannot keep its jobs; what it claims afterwards it may keep. */
export interface Loss {
  readonly pid: number;
  readonly atMs: number;
  readonly untilMs: number;
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
  /**
   * From the fault, or from the end of the last outage after it, to the next claim of each job. Where no fault had hit the
   * worker, from the last time it renewed its lease.
   */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** The share of them that were claimed again in time. */
  readonly promptShare: number;
  /** The way of each of the others, from the fault to the claim. */
  readonly late: readonly LateJob[];
}

/** Times in milliseconds from the fault, or from the end of the last outage after it. */
export interface LateJob {
  readonly jobId: string;
  readonly stage: string;
  readonly at: string;
  readonly claimedAfterMs: number;
  readonly boundMs: number;
  /** When it had been claimed. */
  readonly heldSinceMs: number;
  /** When the sweep took it back, and when there were sweeps at all. */
  readonly takenBackAfterMs: number;
  readonly sweepsAfterMs: readonly number[];
  /** Which processes were hit between then and the claim, and when. */
  readonly lossesAfterMs: readonly string[];
  readonly holder: string;
  readonly claimer: string;
}

export interface RecoveryParts {
  readonly moves: readonly Move[];
  readonly losses: readonly Loss[];
  readonly outages: readonly Outage[];
  readonly pidOf: ReadonlyMap<string, number>;
  /** When each worker renewed its lease for the last time. */
  readonly renewedMs: ReadonlyMap<string, number>;
  readonly sweepsMs: readonly number[];
  readonly leaseMs: number;
  /** The most that this machine lagged behind within a span. */
  readonly latenessMs: (fromMs: number, untilMs: number) => number;
}

// After an outage the engine waits so long before it enters or listens again, whatever the lease is.
const comesBackMs = 1_000;

/** How long jobs stood still when their worker was hit. The harness and PostgreSQL go by the clock of one machine. */
export function recoveryOf(parts: RecoveryParts): Recovery {
  const spans = spansOf(parts);
  const boundOf = ({ fromMs, untilMs, isAfterOutage }: Span) => {
    // A lease, the next sweep and the next look of another worker fit into two leases. One more is for a machine that restarts
    // processes all the while, and what it took to answer meanwhile comes on top.
    const boundMs = 3 * parts.leaseMs + 3 * parts.latenessMs(fromMs, untilMs);
    return boundMs + (isAfterOutage ? comesBackMs : 0);
  };
  const late = spans.filter((span) => span.untilMs - span.fromMs > boundOf(span));
  const spansMs = spans.map(({ fromMs, untilMs }) => untilMs - fromMs);
  const provoked = spans.filter(({ isProvoked }) => isProvoked).length;
  return {
    provoked,
    unprovoked: spans.length - provoked,
    medianMs: Math.round(percentile(spansMs, 0.5)),
    p99Ms: Math.round(percentile(spansMs, 0.99)),
    promptShare: spansMs.length === 0 ? 1 : 1 - late.length / spansMs.length,
    late: late.map((span) => lateJobOf(span, boundOf(span), parts)),
  };
}

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly isAfterOutage: boolean;
  readonly isProvoked: boolean;
  /** The claim that was lost, how it ended, and the next one. */
  readonly held: Move;
  readonly lost: Move;
  readonly claimed: Move;
}

function lateJobOf(
  { fromMs, untilMs, held, lost, claimed }: Span,
  boundMs: number,
  { sweepsMs, losses, pidOf }: RecoveryParts,
): LateJob {
  const after = (ms: number) => Math.round(ms - fromMs);
  const isWithin = (ms: number) => ms >= fromMs && ms <= untilMs;
  const nameOf = (workerId: string | null) => `${pidOf.get(workerId ?? "") ?? "?"}/${workerId?.slice(0, 8)}`;
  return {
    jobId: lost.job_id,
    stage: lost.stage,
    at: new Date(fromMs).toISOString(),
    claimedAfterMs: after(untilMs),
    boundMs: Math.round(boundMs),
    heldSinceMs: after(held.at_ms),
    takenBackAfterMs: after(lost.at_ms),
    sweepsAfterMs: sweepsMs.filter(isWithin).map(after),
    lossesAfterMs: losses
      .filter(({ atMs }) => isWithin(atMs))
      .map(({ pid, atMs }) => `${pid}: ${after(atMs)}`),
    holder: nameOf(lost.worker_id),
    claimer: nameOf(claimed.worker_id),
  };
}

function spansOf({ moves, losses, outages, pidOf, renewedMs }: RecoveryParts): Span[] {
  const claimsOf = new Map<string, Move[]>();
  for (const move of moves) {
    if (move.kind === "claimed") claimsOf.set(move.job_id, [...(claimsOf.get(move.job_id) ?? []), move]);
  }
  const lossesOf = (pid: number | undefined) =>
    losses.filter((loss) => loss.pid === pid).sort((one, other) => one.atMs - other.atMs);
  const spans: Span[] = [];
  for (const lost of moves) {
    const { outcome, status, worker_id, job_id, at_ms } = lost;
    if (outcome !== "lost" || status !== "pending") continue;
    const claims = claimsOf.get(job_id) ?? [];
    const held = claims.find(({ token }) => token === lost.token);
    // A process that was frozen lives on, claims other jobs and may lose those by itself, on a machine that is busy.
    const loss = lossesOf(pidOf.get(worker_id ?? "")).findLast(
      ({ atMs, untilMs }) => atMs <= at_ms && held !== undefined && held.at_ms <= untilMs,
    );
    const claimed = claims.find((claim) => claim.at_ms > at_ms);
    const sinceMs = loss?.atMs ?? renewedMs.get(worker_id ?? "");
    if (held !== undefined && claimed !== undefined && sinceMs !== undefined) {
      const untilMs = claimed.at_ms;
      // Claims go through in some outages, too: from one that is not over then, nobody had to come back.
      const ends = outages.map((outage) => outage.untilMs).filter((ms) => ms > sinceMs && ms < untilMs);
      const fromMs = Math.max(sinceMs, ...ends);
      const [isAfterOutage, isProvoked] = [ends.length > 0, loss !== undefined];
      spans.push({ fromMs, untilMs, isAfterOutage, isProvoked, held, lost, claimed });
    }
  }
  return spans;
}
