/**
 * A lease that no machine is too busy to renew. A story that needs its end says `endLease` or `passLeases`; sweeps come often,
 * so that it is soon noticed.
 */
export const longLease = {
  leaseMs: 60_000,
  heartbeatIntervalMs: 400,
  leaseMarginMs: 2_000,
  sweepIntervalMs: 250,
} as const;
