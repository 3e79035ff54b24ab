/** From 0 to a round number at or above the top, in four or five steps. */
export function niceTicks(top: number): number[] {
  if (top <= 0) return [0, 1];
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power);
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, index) => index * step);
}

const spansMs = [1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000, 360_000_000];

/** Round spans that enclose all values: a logarithmic axis. */
export function logTicks(values: readonly (number | null)[]): number[] {
  const known = values.filter((value): value is number => value !== null && value > 0);
  if (known.length === 0) return [100, 1_000];
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const first = Math.max(
    0,
    spansMs.findLastIndex((span) => span <= least),
  );
  const above = spansMs.findIndex((span) => span >= most);
  const last = above === -1 ? spansMs.length - 1 : above;
  return spansMs.slice(first, Math.max(first + 1, last) + 1);
}
