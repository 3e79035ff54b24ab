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

/** What went wrong, for people. */
export function problemOf(error: Error): string {
  return error instanceof EntryRefusedError ? error.message : "The server cannot be reached.";
}

export interface AskedPage {
  readonly limit: number;
  readonly offset: number;
  readonly search: string;
}

export async function fetchEntries(
  { limit, offset, search }: AskedPage,
  signal: AbortSignal,
): Promise<EntryPage> {
  const query = new URLSearchParams({ limit: String(limit), offset: String(offset), search });
  return (await call(`/api/entries?${query}`, { signal })).json();
}

export async function postEntry(entry: NewEntry): Promise<Entry> {
  const response = await call("/api/entries", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(entry),
  });
  return response.json();
}

export async function retryEntry({ id }: Entry): Promise<void> {
  await call(`/api/entries/${id}/retry`, { method: "POST" });
}

export async function deleteEntry({ id }: Entry): Promise<void> {
  await call(`/api/entries/${id}`, { method: "DELETE" });
}

async function call(path: string, init: RequestInit): Promise<Response> {
  // Of a server that hangs, the next attempt must not have to wait for the last.
  const limit = AbortSignal.timeout(10_000);
  const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
  const response = await fetch(path, { ...init, signal });
  if (response.ok) return response;
  const { error, fields } = await response.json().catch(() => ({ error: null, fields: null }));
  throw new EntryRefusedError(error ?? `The server answered ${response.status}.`, fields ?? {});
}
