import type { JobId, JobWait } from "../../jobs/reading/job.ts";
import type { JobCount } from "../../jobs/reading/job-page.ts";
import { CursorError } from "../../jobs/reading/list-cursor.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";
import { type WaitRecord, waitOf } from "./job-row.ts";

/** Which waiting jobs are listed. */
export interface WaitFilter {
  readonly pipeline?: string | undefined;
  readonly owner?: string | undefined;
  /** The name of a wait. */
  readonly signal?: string | undefined;
  /** The `place` of the last job of the page before. */
  readonly after?: string | undefined;
  /** 50 unless told, at most 1,000. */
  readonly limit?: number | undefined;
}

/** A job that waits for a signal, as a list shows it. */
export interface WaitingJob {
  readonly id: JobId;
  readonly pipeline: string;
  readonly owner: string | null;
  readonly tags: readonly string[];
  readonly addedAt: Date;
  /** For `ifVersion` of `signal`. */
  readonly version: string;
  /** The first 200 characters of the payload as JSON. */
  readonly payloadPreview: string;
  readonly wait: JobWait;
  readonly place: string;
}

interface WaitingRow {
  id: string;
  pipeline: string;
  owner: string | null;
  tags: string[];
  added_at: Date;
  version: string;
  payload_preview: string;
  wait: WaitRecord;
  place: { due: string; id: string };
}

const mostCounted = 10_000;
const count = sqlFunction("count_waits", ["p_pipeline", "p_owner", "p_signal", "p_cap"]);
const list = sqlFunction("list_waits", ["p_pipeline", "p_owner", "p_signal", "p_after", "p_limit"]);

/** The jobs that wait for a signal. */
export class WaitStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  /** How many there are, counted up to 10,000. */
  async count({ pipeline, owner, signal }: Omit<WaitFilter, "after" | "limit">): Promise<JobCount> {
    const [row] = await this.#database.query<{ count_waits: string }>(
      count(pipeline ?? null, owner ?? null, signal ?? null, mostCounted + 1),
    );
    const found = Number(row?.count_waits ?? 0);
    const capped = found > mostCounted;
    return { value: Math.min(found, mostCounted), exact: !capped, capped };
  }

  /** Those that time out first come first. */
  async list({ pipeline, owner, signal, after, limit = 50 }: WaitFilter): Promise<WaitingJob[]> {
    const place = after === undefined ? null : placeOf(after);
    const rows = await this.#database.query<WaitingRow>(
      list(pipeline ?? null, owner ?? null, signal ?? null, place, limit),
    );
    return rows.map((row) => ({
      id: row.id,
      pipeline: row.pipeline,
      owner: row.owner,
      tags: row.tags,
      addedAt: row.added_at,
      version: row.version,
      payloadPreview: row.payload_preview,
      wait: waitOf(row.wait),
      place: `${row.place.due}.${row.place.id}`,
    }));
  }
}

function placeOf(after: string): string {
  const [, due, id] = /^(\d{1,18})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(after) ?? [];
  if (due === undefined || id === undefined) {
    throw new CursorError("cursor.invalid");
  }
  return JSON.stringify({ due, id });
}
