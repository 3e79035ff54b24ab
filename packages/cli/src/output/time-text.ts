import { durationText } from "./duration-text.ts";

/** An instant: how long ago or ahead for people, RFC 3339 for programs. */
export function timeText(time: Date | null, now: Date, isForPeople: boolean): string {
  if (time === null) return "-";
  if (!isForPeople) return time.toISOString();
  const ms = now.getTime() - time.getTime();
  if (Math.abs(ms) < 1_000) return "now";
  return ms > 0 ? `${durationText(ms)} ago` : `in ${durationText(-ms)}`;
}
