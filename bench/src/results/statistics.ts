/** The value below which the fraction lies; between two samples, what lies between them. */
export function quantile(values: readonly number[], fraction: number): number {
  if (values.length === 0) throw new Error("There is no quantile of no samples.");
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
