/** Where the numbers of one measurement lie. */
export interface Spread {
  readonly samples: number;
  readonly least: number;
  readonly median: number;
  readonly p95: number;
  readonly most: number;
}

/** Null where nothing was measured. */
export function spreadOf(numbers: readonly number[]): Spread | null {
  if (numbers.length === 0) return null;
  const sorted = [...numbers].sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { samples: sorted.length, least: at(0), median: at(0.5), p95: at(0.95), most: at(1) };
}
