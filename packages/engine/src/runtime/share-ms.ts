// Short enough for a fleet that has just shrunk and does not know it yet.
const longestMs = 20_000;
// Where there are many: others are woken when one of them is gone, and the pool keeps a connection for the look.
const longestAmongManyMs = 120_000;
const apartAmongManyMs = 1_200;

/**
 * How long one of several workers waits before it does again what any of them may do for all: together they do it as often
 * as one alone would, or more often, since none waits for too long. Very many may each wait longer, as something is
 * then done every 1.2 s all the same.
 */
export function shareMs(intervalMs: number, sharers: number): number {
  const longest = Math.min(longestAmongManyMs, Math.max(longestMs, apartAmongManyMs * sharers));
  return Math.max(intervalMs, Math.min(longest, intervalMs * sharers));
}
