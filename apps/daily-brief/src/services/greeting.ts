const noon = 12;
const evening = 18;

/** As one is greeted at this hour in this time zone. */
export function greeting(instant: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", hourCycle: "h23" });
  const hour = Number(format.format(instant));
  if (hour < noon) return "Good morning";
  return hour < evening ? "Good afternoon" : "Good evening";
}
