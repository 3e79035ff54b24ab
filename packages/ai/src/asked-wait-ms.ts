const longestMs = 24 * 60 * 60 * 1_000;

/** How long a provider asks to be left alone: `retry-after-ms`, or `retry-after` in seconds or as a date. At most a day; null when it does not say. */
export function askedWaitMs(headers: Record<string, string> | undefined, nowMs: number): number | null {
  const exact = headers?.["retry-after-ms"]?.trim() ?? "";
  const text = headers?.["retry-after"]?.trim() ?? "";
  const waitMs = isNumber.test(exact)
    ? Number(exact)
    : isNumber.test(text)
      ? Number(text) * 1_000
      : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? null : Math.round(Math.min(longestMs, Math.max(0, waitMs)));
}

const isNumber = /^\d+(\.\d+)?$/;
