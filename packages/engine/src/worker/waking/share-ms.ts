// Short enough for a fleet that has just shrunk and does not know it yet.
const longestMs = 20_000;
// Among many workers: the others are woken when one is gone, and the pool has a connection open for the look.
const longestAmongManyMs = 120_000;
const apartAmongManyMs = 1_200;

/**
 * How long one of several workers waits before it repeats what any of them may do for all. Together they do it at least as
 * often as one alone would, since none waits for too long. When there are very many, each may wait longer: together they
 * still do it every 1.2 s.
 */
export function shareMs(intervalMs: number, sharers: number): number {
  const longest = Math.min(longestAmongManyMs, Math.max(longestMs, apartAmongManyMs * sharers));
  return Math.max(intervalMs, Math.min(longest, intervalMs * sharers));
}
