/** A span as people say it: "350 ms", "1.2 s", "2 m 10 s", "3 h 5 m", "4 d 2 h". Clocks that differ make none negative. */
export function durationText(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 1_000) return `${Math.round(span)} ms`;
  if (span < 60_000) return `${(Math.floor(span / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(span / 1_000);
  if (seconds < 3_600) return pair(seconds, 60, "m", "s");
  if (seconds < 86_400) return pair(Math.floor(seconds / 60), 60, "h", "m");
  return pair(Math.floor(seconds / 3_600), 24, "d", "h");
}

function pair(amount: number, per: number, large: string, small: string): string {
  const rest = amount % per;
  return `${Math.floor(amount / per)} ${large}${rest === 0 ? "" : ` ${rest} ${small}`}`;
}
