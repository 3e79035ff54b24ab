import type { Person } from "../store/people-store.ts";

/** In routes that are about one person: the one who is signed in, or was chosen where nobody signs in. */
export interface PersonEnv {
  Variables: { person: Person };
}
