export type EntryStatus = "CREATED" | "STAGE_1" | "STAGE_2" | "COMPLETED" | "FAILED";

/** An entry as the API gives it. */
export interface Entry {
  readonly id: string;
  readonly title: string;
  readonly status: EntryStatus;
  readonly progress: number;
  /** What came of it; of a failed one, its error. */
  readonly result: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What `GET /api/entries` answers. */
export interface EntryPage {
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

export function isFinished(entry: Entry): boolean {
  return entry.status === "COMPLETED" || entry.status === "FAILED";
}
