const day = { day: "numeric", month: "long", year: "numeric" } as const;

/** A day as it is written everywhere, on the page, in mails and in SMS: 2 March 2026. */
export function dateText(isoDate: string): string {
  return new Intl.DateTimeFormat("en-GB", { ...day, timeZone: "UTC" }).format(new Date(isoDate));
}

/** A moment by the clock of this time zone: 2 March 2026, 07:05. */
export function timeText(instant: Date, timeZone: string): string {
  const date = new Intl.DateTimeFormat("en-GB", { ...day, timeZone }).format(instant);
  const time = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return `${date}, ${time.format(instant)}`;
}
