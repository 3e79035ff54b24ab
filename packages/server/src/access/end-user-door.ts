import { type Engine, OwnerTokenError } from "lockstep";
import type { Right } from "../contract/access.ts";
import type { Caller } from "./caller.ts";
import type { Door } from "./door.ts";
import { tokenIn } from "./token-in.ts";

const form = /^l[sj]1\./;
// All that an end user may ask for: the events of jobs, one of these jobs, what its handlers stream, to signal those waits of it that the
// token names, and what an owner has spent of a budget.
const eventsPath = /\/api\/v1\/events$/;
const streamPath = /\/api\/v1\/jobs\/[0-9a-f-]{36}\/streams\/[^/]+$/i;
const jobPath = /\/api\/v1\/jobs\/[0-9a-f-]{36}$/i;
const signalPath = /\/api\/v1\/jobs\/[0-9a-f-]{36}\/signals\/([^/]+)$/i;
const usagePath = /\/api\/v1\/budgets\/[^/]+\/usage$/i;

/**
 * Lets in those whom the other door knows, and whoever has a token for an owner's jobs or for one job. For streams the
 * token may be in the query, since a browser's EventSource sends no headers. An expired token opens nothing, even if its
 * sender has access without it.
 */
export function endUserDoor(engine: Pick<Engine, "tokenScope">, other: Door): Door {
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const isStream = streamPath.test(pathname);
    const mayBeInQuery = isStream || eventsPath.test(pathname);
    const inQuery = mayBeInQuery ? searchParams.get("token") : null;
    const token = inQuery ?? tokenIn(request);
    if (token === null || (inQuery === null && !form.test(token))) return await other(request);
    const signal = request.method === "POST" ? (signalPath.exec(pathname)?.[1] ?? null) : null;
    const isUsage = usagePath.test(pathname);
    const isRead = request.method === "GET" && (mayBeInQuery || isUsage || jobPath.test(pathname));
    return isRead || signal !== null ? endUser(engine, token, { isStream, isUsage, signal }) : null;
  };
}

function endUser(
  engine: Pick<Engine, "tokenScope">,
  token: string,
  { isStream, isUsage, signal }: { isStream: boolean; isUsage: boolean; signal: string | null },
): Caller | null {
  try {
    const scope = engine.tokenScope(token);
    // A budget has no share of one job: who may see that job only is nobody there.
    if (isUsage && scope.owner === null) return null;
    const user = scope.jobId === null ? `owner ${scope.owner}` : `job ${scope.jobId}`;
    const rights = new Set<Right>(["jobs.read"]);
    // A stream is made for them; of a job they see how it stands.
    if (isStream) rights.add("jobs.payload");
    // Names of waits need no escapes in a path: one that has any is none of theirs.
    if (signal !== null && scope.signals.includes(signal)) rights.add("jobs.signal");
    return { user, rights, owner: scope.owner, scope };
  } catch (error) {
    if (error instanceof OwnerTokenError) return null;
    throw error;
  }
}
