const [secondMs, minuteMs, hourMs, dayMs] = [1_000, 60_000, 3_600_000, 86_400_000];

/** The cron pattern of "every so many milliseconds"; null where no pattern has that beat. */
export function everyAsCron(everyMs: number): string | null {
  if (everyMs === dayMs) return "0 0 * * *";
  const units = [
    { unitMs: hourMs, wholeMs: dayMs, pattern: (n: number) => `0 ${stepped(n)} * * *` },
    { unitMs: minuteMs, wholeMs: hourMs, pattern: (n: number) => `${stepped(n)} * * * *` },
    { unitMs: secondMs, wholeMs: minuteMs, pattern: (n: number) => `${stepped(n)} * * * * *` },
  ];
  const fitting = units.find(({ unitMs, wholeMs }) => everyMs % unitMs === 0 && wholeMs % everyMs === 0);
  return fitting === undefined || everyMs <= 0 ? null : fitting.pattern(everyMs / fitting.unitMs);
}

function stepped(count: number): string {
  return count === 1 ? "*" : `*/${count}`;
}
