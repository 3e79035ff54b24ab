import type { Entry, EntryPage, EntryStatus } from "../entry.ts";
import type { EntryPageRequest } from "../entry-page-request.ts";

/** What a stage leaves in its entry. */
export interface EntryStep {
  readonly status: EntryStatus;
  /** As it was, unless given. */
  readonly progress?: number;
  readonly result?: string;
}

export const finishedStatuses: EntryStatus[] = ["COMPLETED", "FAILED"];

/** An entry with what is only ours: which job carries it. */
export interface EntryRow extends Entry {
  readonly jobId: string;
}

/** What the application asks of its own tables. Drizzle and Prisma each answer it in their way. */
export interface EntryStore {
  /** All that is written in `run` is committed together, or not at all. */
  transaction<Result>(run: (open: EntryTransaction) => Promise<Result>): Promise<Result>;
  /** Newest first. */
  list(request: EntryPageRequest): Promise<EntryPage>;
  find(entryId: string): Promise<EntryRow | null>;
  /** Only if nothing was written to the entry since it was read; says whether it was changed. */
  replace(entry: EntryRow, step: EntryStep): Promise<boolean>;
  /** Only an entry that is finished; says whether it is gone. */
  remove(entryId: string): Promise<boolean>;
  /** For callers that do not hold the job. Leaves a finished entry as it is: a late event must not undo what came after. */
  fail(jobId: string, message: string): Promise<void>;
  /** The jobs of entries that are not finished. */
  unfinishedJobs(): Promise<string[]>;
  /** How far the log of jobs has been read; null: not at all. */
  readCursor(): Promise<string | null>;
  writeCursor(cursor: string): Promise<void>;
  close(): Promise<void>;
}

export interface EntryTransaction {
  /** The transaction as the client knows it. The engine writes in it, too: `add(…, { tx })`, `completeIn`, `failIn`. */
  readonly tx: object;
  insert(entry: { id: string; title: string; jobId: string }): Promise<Entry>;
  write(entryId: string, step: EntryStep): Promise<void>;
}
