const unitsMs: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** "90s", "1.5h" or "2d12h" in ms; null for what is no length of time. */
export function readSpan(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|[smhdw]))+$/.test(text)) return null;
  let totalMs = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)) {
    totalMs += Number(amount) * (unitsMs[unit] ?? 0);
  }
  return totalMs;
}
