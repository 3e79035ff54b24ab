import type { JobEventDetail, JobEventKind, LoggedEvent } from "../../jobs/reading/job-event.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";

export interface EventFilter {
  readonly owner: string | null;
  readonly pipeline: string | null;
  readonly jobId: string | null;
}

/** Some entries of the realtime log, in order. */
export interface EventPage {
  readonly events: readonly LoggedEvent[];
  /** Where to go on. */
  readonly cursor: string;
  /** Whether nothing is left for now. */
  readonly isAll: boolean;
}

interface EventRow {
  cursor: string;
  kind: JobEventKind | "events.read" | "events.reset";
  at: Date;
  job_id: string;
  pipeline: string;
  stage: string;
  owner: string | null;
  detail: JobEventDetail;
}

const readEvents = sqlFunction("read_events", [
  "p_cursor",
  "p_owner",
  "p_pipeline",
  "p_job_id",
  "p_limit",
  "p_until",
]);

/** The realtime log. */
export class EventStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  /** The next events after a cursor; null begins now, "start" with the oldest that is kept. Ends exactly at `until`. */
  async read(
    cursor: string | null,
    { owner, pipeline, jobId }: EventFilter,
    limit: number,
    until: string | null = null,
  ): Promise<EventPage> {
    const rows = await this.#database.query<EventRow>(
      readEvents(cursor, owner, pipeline, jobId, limit, until),
    );
    const last = rows.at(-1);
    return {
      events: rows.filter(({ kind }) => kind !== "events.read").map(eventOf),
      cursor: last?.cursor ?? cursor ?? "start",
      isAll: last === undefined || last.kind === "events.read",
    };
  }
}

function eventOf(row: EventRow): LoggedEvent {
  const { kind, cursor } = row;
  if (kind === "events.reset") return { kind, cursor };
  return {
    kind: kind as JobEventKind,
    cursor,
    at: row.at,
    jobId: row.job_id,
    pipeline: row.pipeline,
    stage: row.stage,
    owner: row.owner,
    detail: row.detail,
  };
}
