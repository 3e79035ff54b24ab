import { type Engine, OwnerTokenError } from "lockstep";
import type { Right } from "../contract/access.ts";
import type { Caller } from "./caller.ts";
import type { Door } from "./door.ts";
import { tokenIn } from "./token-in.ts";

const form = /^l[sj]1\./;
// All that an end user may ask for: the events of jobs, one of these jobs, and what its handlers stream.
const eventsPath = /\/api\/v1\/events$/;
const streamPath = /\/api\/v1\/jobs\/[0-9a-f-]{36}\/streams\/[^/]+$/i;
const jobPath = /\/api\/v1\/jobs\/[0-9a-f-]{36}$/i;

/**
 * Lets in those whom the other door knows, and whoever has a token for an owner's jobs or for one job. For streams the
 * token may be in the query, since a browser's EventSource sends no headers. An expired token opens nothing, even if its
 * sender has access without it.
 */
export function endUserDoor(engine: Pick<Engine, "tokenScope">, other: Door): Door {
  return async (request) => {
    const url = new URL(request.url);
    const isStream = streamPath.test(url.pathname);
    const mayBeInQuery = isStream || eventsPath.test(url.pathname);
    const inQuery = mayBeInQuery ? url.searchParams.get("token") : null;
    const token = inQuery ?? tokenIn(request);
    if (token === null || (inQuery === null && !form.test(token))) return await other(request);
    const isForThem = mayBeInQuery || jobPath.test(url.pathname);
    // A stream is made for them; of a job they see how it stands.
    const rights: readonly Right[] = isStream ? ["jobs.read", "jobs.payload"] : ["jobs.read"];
    return isForThem && request.method === "GET" ? endUser(engine, token, rights) : null;
  };
}

function endUser(engine: Pick<Engine, "tokenScope">, token: string, rights: readonly Right[]): Caller | null {
  try {
    const scope = engine.tokenScope(token);
    const user = scope.jobId === null ? `owner ${scope.owner}` : `job ${scope.jobId}`;
    return { user, rights: new Set(rights), owner: scope.owner, scope };
  } catch (error) {
    if (error instanceof OwnerTokenError) return null;
    throw error;
  }
}
