/** What a dedup key does beyond keeping two jobs of one key from being live together. */
export type Dedup =
  /** The key stays taken for so long after the add, also when its job has finished. */
  | { readonly forMs: number }
  /** At most one job per key in so much time; the next one is added even when the one before is still live. */
  | { readonly throttleMs: number }
  /**
   * The job runs when so much time has passed without another add of its key. It has the payload and options of the last add.
   * It waits no longer than `atMostMs` after the first.
   */
  | { readonly debounceMs: number; readonly atMostMs?: number | undefined };

const mostMs = 31_536_000_000;

/** What is wrong with a dedup, as the end of a sentence; null when nothing is. */
export function dedupComplaint(value: unknown): string | null {
  const given = Object.entries(typeof value === "object" && value !== null ? value : {}).filter(
    ([, ms]) => ms !== undefined,
  );
  const names = given
    .map(([name]) => name)
    .sort()
    .join();
  if (!["forMs", "throttleMs", "debounceMs", "atMostMs,debounceMs"].includes(names)) {
    return "must be one of { forMs }, { throttleMs }, { debounceMs } and { debounceMs, atMostMs }";
  }
  for (const [name, ms] of given) {
    if (!Number.isInteger(ms) || ms < 1 || ms > mostMs) {
      return `must have as ${name} a whole number of milliseconds from 1 to ${mostMs} (365 days)`;
    }
  }
  const { debounceMs = 0, atMostMs = mostMs } = Object.fromEntries(given);
  return atMostMs < debounceMs ? "must not have an atMostMs that is less than its debounceMs" : null;
}
