/**
 * A lease is kept and lost in real time, by PostgreSQL's clock and real processes; so that a story does not take a
 * minute, everything about it is about twenty times shorter than by default.
 */
export const shortLease = {
  leaseMs: 1_500,
  heartbeatIntervalMs: 400,
  leaseMarginMs: 300,
  sweepIntervalMs: 250,
} as const;

// For starting the job again on a busy machine.
const slackMs = 3_000;

/** How long a job may stand still after its worker died: the lease, the next sweep, and some slack. */
export function recoveryBoundMs({
  leaseMs,
  sweepIntervalMs,
}: {
  leaseMs: number;
  sweepIntervalMs: number;
}): number {
  return leaseMs + sweepIntervalMs + slackMs;
}
