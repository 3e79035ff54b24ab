import { PermanentError, type StageContext } from "lockstep";
import type { BriefParts } from "../brief-parts.ts";

/** A first look at what a new person wrote. */
export function onboardingStage({ store, writer }: Pick<BriefParts, "store" | "writer">) {
  return async ({ payload, once }: StageContext<{ personId: string; text: string }>) => {
    const { personId, text } = payload;
    if ((await store.person(personId)) === null)
      throw new PermanentError(`There is no person "${personId}".`);
    const profile = await once("profile", (asking) => writer.profile(text, asking));
    await store.saveProfile(personId, profile);
    return { personId, interests: profile.interests };
  };
}
