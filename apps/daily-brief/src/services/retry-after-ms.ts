const longestMs = 86_400_000;

/** The header Retry-After, in seconds or as a date; null when it says nothing of use. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null || header.trim() === "") return null;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - nowMs : seconds * 1_000;
  return ms >= 0 ? Math.min(Math.ceil(ms), longestMs) : null;
}
