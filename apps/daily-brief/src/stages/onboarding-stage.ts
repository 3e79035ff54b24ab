import { PermanentError, type StageContext } from "lockstep";
import type { BriefParts } from "../brief-parts.ts";

/** A first look at what a new person wrote. */
export function onboardingStage({ people, writer }: Pick<BriefParts, "people" | "writer">) {
  return async (context: StageContext<{ personId: string; text: string }>) => {
    const { personId, text } = context.payload;
    if ((await people.person(personId)) === null)
      throw new PermanentError(`There is no person "${personId}".`);
    const profile = await writer.profile(text, context);
    await people.saveProfile(personId, profile);
    return { personId, interests: profile.interests };
  };
}
