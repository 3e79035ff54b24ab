const longestMs = 24 * 60 * 60 * 1_000;

/** What a Retry-After header asks for: seconds or a date; null when it says neither. Never more than a day. */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  if (text === "" || Number.isNaN(waitMs)) return null;
  return Math.round(Math.min(longestMs, Math.max(0, waitMs)));
}
