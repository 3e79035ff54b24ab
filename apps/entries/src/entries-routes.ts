import type { EntriesProcess } from "./entries-process.ts";
import { entryPageRequest } from "./entry-page-request.ts";
import { fieldMessages, newEntry } from "./new-entry.ts";
import { readJson } from "./read-json.ts";
import { createEntry } from "./services/create-entry.ts";
import { listEntries } from "./services/list-entries.ts";

const longestBodyBytes = 64 * 1024;

/** `/api/entries`, as functions of a request: the route's file only names them. */
export function entriesRoutes(entries: Pick<EntriesProcess, "db" | "engine">) {
  return {
    async create(request: Request): Promise<Response> {
      const body = await readJson(request, longestBodyBytes);
      if (!body.ok) return refusal({ body: body.message });
      const given = newEntry.safeParse(body.value);
      if (!given.success) return refusal(fieldMessages(given.error));
      return await orUnavailable(async () =>
        Response.json(await createEntry(entries, given.data), { status: 201 }),
      );
    },
    async list(request: Request): Promise<Response> {
      const asked = entryPageRequest.safeParse(Object.fromEntries(new URL(request.url).searchParams));
      if (!asked.success) return refusal(fieldMessages(asked.error));
      return await orUnavailable(async () => Response.json(await listEntries(entries.db, asked.data)));
    },
  };
}

function refusal(fields: Record<string, string>): Response {
  return Response.json({ error: Object.values(fields).join(" "), fields }, { status: 400 });
}

/** What the database says is for the log, not for the caller. */
async function orUnavailable(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    process.stderr.write(`A request for entries failed: ${String((error as Error)?.cause ?? error)}\n`);
    return Response.json(
      { error: "The entries cannot be reached. Please try again.", fields: {} },
      { status: 503, headers: { "retry-after": "2" } },
    );
  }
}
