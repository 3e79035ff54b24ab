const [first, last] = [1, 20];

/** The nearest priority that a job here can have. */
export function clamped(priority: number): number {
  return Math.min(last, Math.max(first, Math.round(priority)));
}
