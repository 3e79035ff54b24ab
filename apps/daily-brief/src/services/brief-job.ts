import type { Person } from "../store/people-store.ts";
import { localDate } from "./local-date.ts";

// Longer than any day is, so that a second add of the same day meets the first, finished or not.
const dedupForMs = 30 * 3_600_000;

/** The job that writes a person's brief for the day of this instant in their time zone. Added twice, it is one job. */
export function briefJob({ id, timeZone }: Person, instant: Date) {
  const briefDate = localDate(instant, timeZone);
  return {
    payload: { personId: id, briefDate, timezone: timeZone },
    options: { owner: id, dedupKey: `brief ${briefDate}`, dedup: { forMs: dedupForMs } },
  };
}
