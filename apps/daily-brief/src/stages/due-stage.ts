import type { StageContext } from "lockstep";
import { PermanentError } from "lockstep";
import type { BriefParts } from "../brief-parts.ts";
import { briefJob } from "../services/brief-job.ts";

/** The morning has come for a person: their brief of this day is added, unless somebody has asked for it before. */
export function dueStage({ people, add }: Pick<BriefParts, "people" | "add">) {
  return async ({ payload, schedule }: StageContext<{ personId: string }>) => {
    const person = await people.person(payload.personId);
    if (person === null) throw new PermanentError(`There is no person "${payload.personId}".`);
    // Made late, it is still the brief of the day for which it was due.
    const brief = briefJob(person, schedule?.tickAt ?? new Date());
    const { id, created } = await add("generate_daily_brief", brief.payload, {
      ...brief.options,
      priority: 5,
    });
    return { briefJobId: id, created, briefDate: brief.payload.briefDate };
  };
}
