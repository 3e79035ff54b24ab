import { entriesProcess } from "../../../src/entries-process.ts";
import { entryOwner } from "../../../src/process-entry-name.ts";

export const dynamic = "force-dynamic";

const hourMs = 3_600_000;

/** Lets this browser follow the entries. An application with accounts would ask here who it is. */
export function GET(): Response {
  const { engine, config } = entriesProcess();
  if (config.tokenSecret === null) return new Response("ENTRIES_TOKEN_SECRET is not set.", { status: 404 });
  return new Response(engine.ownerToken(entryOwner, { expiresInMs: hourMs }), {
    headers: { "cache-control": "no-store" },
  });
}
