/** What retention does, and what it has left. */
export interface Retention {
  /** How long ago it ran last; null when it never has. */
  readonly ranMs: number | null;
  readonly completed: Kept;
  readonly unsuccessful: Kept;
  readonly events: Kept;
  readonly streams: Kept;
}

/** What is kept of one kind of finished jobs, of events or of streams. */
export interface Kept {
  /** When the oldest day that is kept began, in UTC; null when there is no table of a day. */
  readonly since: Date | null;
  readonly ageMs: number | null;
  /** As the server's statistics know it. */
  readonly estimatedRows: number;
  /** Past their time, but somebody holds them; tried again every hour. */
  readonly heldTables: number;
}

export interface RetentionRow {
  kept: string;
  since: Date | null;
  age_ms: number | null;
  estimated_rows: string;
  held_tables: number;
  ran_ms: number | null;
}

export function retentionOf(rows: readonly RetentionRow[]): Retention {
  const kept = (name: string): Kept => {
    const row = rows.find((each) => each.kept === name);
    if (row === undefined) throw new Error(`read_retention has answered without ${name}.`);
    return {
      since: row.since,
      ageMs: row.age_ms,
      estimatedRows: Number(row.estimated_rows),
      heldTables: row.held_tables,
    };
  };
  return {
    ranMs: rows[0]?.ran_ms ?? null,
    completed: kept("completed_jobs"),
    unsuccessful: kept("unsuccessful_jobs"),
    events: kept("events"),
    streams: kept("stream_chunks"),
  };
}
