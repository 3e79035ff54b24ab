const lookEveryMs = 30 * 60_000;

/** By looking at the person's clock every half hour: the days on which it came to the time of the brief. */
export function expectedDates(
  { timeZone, briefAt }: { readonly timeZone: string; readonly briefAt: string },
  { startAt, endAt }: { readonly startAt: Date; readonly endAt: Date },
): string[] {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  const seen = new Set<string>();
  const dates: string[] = [];
  // From a day before, so that what had come before is known.
  for (let ms = startAt.getTime() - 86_400_000; ms <= endAt.getTime(); ms += lookEveryMs) {
    const [date = "", time = ""] = format.format(new Date(ms)).split(" ");
    if (time < briefAt || seen.has(date)) continue;
    seen.add(date);
    if (ms > startAt.getTime()) dates.push(date);
  }
  return dates;
}
