import { PermanentError, type StageContext } from "lockstep";
import type { BriefParts } from "../brief-parts.ts";
import type { WrittenBrief } from "../services/brief-writer.ts";
import { greeting } from "../services/greeting.ts";

interface BriefPayload {
  readonly personId: string;
  readonly briefDate: string;
  readonly timezone: string;
}

/** Reads what the person has to do and writes the brief; what was written is not paid for again. */
export function writeStage({ people, projects, writer }: Pick<BriefParts, "people" | "projects" | "writer">) {
  return async (context: StageContext<BriefPayload>): Promise<WrittenBrief> => {
    const { payload, progress } = context;
    const person = await people.person(payload.personId);
    if (person === null) throw new PermanentError(`There is no person "${payload.personId}".`);
    const theirs = await projects.projectsOf(person.id);
    progress(30, `writing about ${theirs.length} projects`);
    const matter = {
      greeting: greeting(new Date(), person.timeZone),
      ...{ name: person.name, briefDate: payload.briefDate, projects: theirs },
    };
    return await writer.brief(matter, context);
  };
}

type DeliverParts = Pick<BriefParts, "database" | "people" | "briefs" | "add" | "writer">;

/** Stores the brief, adds the jobs that send it, and ends the stage, all in one transaction. */
export function deliverStage({ database, people, briefs, add, writer }: DeliverParts) {
  return async ({ payload, output, completeIn }: StageContext<BriefPayload, WrittenBrief>) => {
    const { personId, briefDate, timezone } = payload;
    const person = await people.person(personId);
    if (person === null) throw new PermanentError(`There is no person "${personId}".`);
    return await database.inTransaction(async (tx) => {
      const brief = { ...output, personId, briefDate, timezone, writtenBy: writer.label };
      const { id: briefId, isNew } = await briefs.saveBrief(tx, brief);
      const about = { owner: personId, tx };
      if (isNew && person.wantsEmail && person.email !== null) {
        await add("generate_brief_email", { personId, briefId }, { ...about, dedupKey: `email ${briefId}` });
      }
      if (isNew && person.wantsSms && person.phone !== null) {
        const message = output.headline.slice(0, 480);
        await add("send_sms", { personId, message }, { ...about, priority: 3, dedupKey: `sms ${briefId}` });
      }
      return await completeIn(tx, { briefId, briefDate, timezone });
    });
  };
}
