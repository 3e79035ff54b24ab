import type { TestDatabase } from "./test-database.ts";

export interface RetentionArguments {
  readonly p_keep_completed?: string;
  readonly p_keep_unsuccessful?: string;
  readonly p_keep_events?: string;
  readonly p_interval?: string;
  readonly p_now?: Date;
}

/** All that a worker does for retention when it is due: rows, then one table after the other. Says which tables went. */
export async function runRetention(db: TestDatabase, args: RetentionArguments = {}): Promise<string[]> {
  const { p_interval, ...kept } = args;
  await db.value("delete_finished_jobs", { ...kept, p_interval });
  const dropped: string[] = [];
  for (let place = ""; ; ) {
    const [row] = await db.call<{ name: string; is_gone: boolean; place: string }>("drop_old_table", {
      ...kept,
      p_place: place,
    });
    if (row === undefined) return dropped;
    if (row.is_gone) dropped.push(row.name);
    place = row.place;
  }
}
