import type { StageContext } from "lockstep";
import { PermanentError } from "lockstep";
import type { BriefParts } from "../brief-parts.ts";
import { localDate } from "../services/local-date.ts";

// Longer than any day is, so that a second add of the same day meets the first, finished or not.
const dedupForMs = 30 * 3_600_000;

/** The morning has come for a person: their brief of this day is added, unless somebody has asked for it before. */
export function dueStage({ people, add }: Pick<BriefParts, "people" | "add">) {
  return async ({ payload, schedule }: StageContext<{ personId: string }>) => {
    const person = await people.person(payload.personId);
    if (person === null) throw new PermanentError(`There is no person "${payload.personId}".`);
    const timezone = person.timeZone;
    // Made late, it is still the brief of the day for which it was due.
    const briefDate = localDate(schedule?.tickAt ?? new Date(), timezone);
    const { id, created } = await add(
      "generate_daily_brief",
      { personId: person.id, briefDate, timezone },
      { owner: person.id, priority: 5, dedupKey: `brief ${briefDate}`, dedup: { forMs: dedupForMs } },
    );
    return { briefJobId: id, created, briefDate };
  };
}
