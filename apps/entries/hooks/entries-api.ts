import type { Entry, EntryPage } from "../src/entry.ts";
import type { NewEntry } from "../src/new-entry.ts";

/** What the server refused, field by field. */
export class EntryRefusedError extends Error {
  override readonly name = "EntryRefusedError";
  readonly fields: Readonly<Record<string, string>>;

  constructor(message: string, fields: Record<string, string>) {
    super(message);
    this.fields = fields;
  }
}

export function fetchEntries(page: { limit: number; offset: number }, signal: AbortSignal) {
  return call<EntryPage>(`/api/entries?limit=${page.limit}&offset=${page.offset}`, { signal });
}

export function postEntry(entry: NewEntry) {
  return call<Entry>("/api/entries", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(entry),
  });
}

async function call<Answer>(path: string, init: RequestInit): Promise<Answer> {
  // Of a server that hangs, the next try must not have to wait for the last.
  const limit = AbortSignal.timeout(10_000);
  const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
  const response = await fetch(path, { ...init, signal });
  if (response.ok) return await response.json();
  const { error, fields } = await response.json().catch(() => ({ error: null, fields: null }));
  throw new EntryRefusedError(error ?? `The server answered ${response.status}.`, fields ?? {});
}
