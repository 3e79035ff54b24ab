/** A number as people read it; a dash for none. */
export function shown(value: number | null): string {
  if (value === null) return "–";
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}
