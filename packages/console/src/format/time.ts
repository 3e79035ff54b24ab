import { formatElapsed } from "./duration.ts";

export type TimeZoneChoice = "local" | "utc";

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: TimeZoneChoice, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options);
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-GB", {
    ...options,
    ...(zone === "utc" ? { timeZone: "UTC" } : {}),
  });
  formats.set(key, made);
  return made;
}

/** With its zone, for a page about one thing. */
export function formatInstant(at: Date, zone: TimeZoneChoice): string {
  return format(zone, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  }).format(at);
}

/** Only the time of a day; the day before it when that is another one. */
export function formatClock(at: Date, zone: TimeZoneChoice, now: Date): string {
  const time = format(zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(at);
  const day = format(zone, { day: "numeric", month: "short" });
  return day.format(at) === day.format(now) ? time : `${day.format(at)}, ${time}`;
}

export function formatMinute(at: Date, zone: TimeZoneChoice): string {
  return format(zone, { hour: "2-digit", minute: "2-digit" }).format(at);
}

export function formatDay(at: Date, zone: TimeZoneChoice): string {
  return format(zone, {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  }).format(at);
}

/** "4 s ago", "in 3 m 50 s". A moment that clocks cannot agree on is now. */
export function formatRelative(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  if (Math.abs(ms) < 1_000) return "just now";
  return ms > 0 ? `${formatElapsed(coarse(ms))} ago` : `in ${formatElapsed(coarse(-ms))}`;
}

/** From an hour on the smaller unit only makes noise. */
function coarse(ms: number): number {
  if (ms >= 86_400_000) return Math.floor(ms / 86_400_000) * 86_400_000;
  if (ms >= 3_600_000) return Math.floor(ms / 3_600_000) * 3_600_000;
  return ms >= 60_000 ? Math.floor(ms / 60_000) * 60_000 : ms;
}

export function zoneName(zone: TimeZoneChoice): string {
  return zone === "utc" ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone;
}
