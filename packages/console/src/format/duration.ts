const units: [name: string, ms: number][] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
];

/** A span in at most two units: `420 ms`, `4.1 s`, `2 m 10 s`, `3 d 4 h`. Clocks that disagree never make it negative. */
export function formatDuration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 1_000) return `${Math.round(span)} ms`;
  if (span < 10_000) return `${(Math.floor(span / 100) / 10).toFixed(1)} s`;
  const first = units.findIndex(([, size]) => span >= size);
  const [name, size] = units[first] ?? ["s", 1_000];
  const second = units[first + 1];
  const whole = Math.floor(span / size);
  const rest = second === undefined ? 0 : Math.floor((span % size) / second[1]);
  return rest > 0 && second !== undefined ? `${whole} ${name} ${rest} ${second[0]}` : `${whole} ${name}`;
}

/** For counting clocks: whole seconds, so that the figure does not flicker. */
export function formatElapsed(ms: number): string {
  const span = Math.max(0, ms);
  return span < 60_000 ? `${Math.floor(span / 1_000)} s` : formatDuration(span);
}
