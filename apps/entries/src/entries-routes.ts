import { z } from "zod";
import type { EntriesProcess } from "./entries-process.ts";
import { entryPageRequest } from "./entry-page-request.ts";
import { fieldMessages, newEntry } from "./new-entry.ts";
import { readJson } from "./read-json.ts";
import { createEntry } from "./services/create-entry.ts";
import { type RetryAnswer, retryEntry } from "./services/retry-entry.ts";

const longestBodyBytes = 64 * 1024;
const unknownEntry = "There is no such entry: it may have been deleted.";

const retryRefusals: Record<Exclude<RetryAnswer, "retried">, [status: number, sentence: string]> = {
  not_found: [404, unknownEntry],
  not_failed: [409, "Only an entry that has failed can be retried."],
  not_kept: [409, "It failed so long ago that its job is no longer kept. Create the entry again."],
};

/** `/api/entries` and what is below it, as functions of a request: the routes' files only name them. */
export function entriesRoutes(entries: Pick<EntriesProcess, "store" | "engine">) {
  return {
    async create(request: Request): Promise<Response> {
      const body = await readJson(request, longestBodyBytes);
      if (!body.ok) return badInput({ body: body.message });
      const given = newEntry.safeParse(body.value);
      if (!given.success) return badInput(fieldMessages(given.error));
      return await orUnavailable(async () =>
        Response.json(await createEntry(entries, given.data), { status: 201 }),
      );
    },
    async list(request: Request): Promise<Response> {
      const asked = entryPageRequest.safeParse(Object.fromEntries(new URL(request.url).searchParams));
      if (!asked.success) return badInput(fieldMessages(asked.error));
      return await orUnavailable(async () => Response.json(await entries.store.list(asked.data)));
    },
    async retry(entryId: string): Promise<Response> {
      if (!isId(entryId)) return refusal(404, unknownEntry);
      return await orUnavailable(async () => {
        const answer = await retryEntry(entries, entryId);
        return answer === "retried" ? new Response(null, { status: 204 }) : refusal(...retryRefusals[answer]);
      });
    },
    async remove(entryId: string): Promise<Response> {
      if (!isId(entryId)) return refusal(404, unknownEntry);
      return await orUnavailable(async () => {
        if (await entries.store.remove(entryId)) return new Response(null, { status: 204 });
        return (await entries.store.find(entryId)) === null
          ? refusal(404, unknownEntry)
          : refusal(409, "An entry can be deleted when it has completed or failed.");
      });
    },
  };
}

const isId = (text: string) => z.uuid().safeParse(text).success;

function badInput(fields: Record<string, string>): Response {
  return refusal(400, Object.values(fields).join(" "), fields);
}

function refusal(status: number, error: string, fields: Record<string, string> = {}): Response {
  return Response.json({ error, fields }, { status });
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
