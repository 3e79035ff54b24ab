import { and, count, desc, eq, ilike, inArray, notInArray, sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type pg from "pg";
import type { EntryPage } from "../../entry.ts";
import type { EntryPageRequest } from "../../entry-page-request.ts";
import {
  type EntryRow,
  type EntryStep,
  type EntryStore,
  type EntryTransaction,
  finishedStatuses,
} from "../entry-store.ts";
import { likeText } from "../like-text.ts";
import { changeTo, entryOf, entryRowOf } from "../stored-entry.ts";

import { entriesTable } from "./entries-table.ts";
import { followerTable } from "./follower-table.ts";

export class DrizzleEntryStore implements EntryStore {
  readonly #pool: pg.Pool;
  readonly #db: NodePgDatabase;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.#db = drizzle(pool);
  }

  transaction<Result>(run: (open: EntryTransaction) => Promise<Result>): Promise<Result> {
    return this.#db.transaction((tx) =>
      run({
        tx,
        async insert(entry) {
          const [row] = await tx.insert(entriesTable).values(entry).returning();
          if (row === undefined) throw new Error(`Entry ${entry.id} was not inserted.`);
          return entryOf(row);
        },
        async write(entryId, step) {
          await tx.update(entriesTable).set(changeTo(step)).where(eq(entriesTable.id, entryId));
        },
      }),
    );
  }

  async list({ limit, offset, search }: EntryPageRequest): Promise<EntryPage> {
    const matching = search === "" ? undefined : ilike(entriesTable.title, `%${likeText(search)}%`);
    const [rows, counts] = await Promise.all([
      this.#db
        .select()
        .from(entriesTable)
        .where(matching)
        .orderBy(desc(entriesTable.createdAt), desc(entriesTable.id))
        .limit(limit)
        .offset(offset),
      this.#db.select({ total: count() }).from(entriesTable).where(matching),
    ]);
    return { entries: rows.map(entryOf), total: counts[0]?.total ?? 0, limit, offset };
  }

  async find(entryId: string): Promise<EntryRow | null> {
    const [row] = await this.#db.select().from(entriesTable).where(eq(entriesTable.id, entryId));
    return row === undefined ? null : entryRowOf(row);
  }

  async replace(entry: EntryRow, step: EntryStep): Promise<boolean> {
    const { rowCount } = await this.#db
      .update(entriesTable)
      .set(changeTo(step))
      .where(and(eq(entriesTable.id, entry.id), eq(entriesTable.updatedAt, new Date(entry.updatedAt))));
    return rowCount === 1;
  }

  async remove(entryId: string): Promise<boolean> {
    const { rowCount } = await this.#db
      .delete(entriesTable)
      .where(and(eq(entriesTable.id, entryId), inArray(entriesTable.status, finishedStatuses)));
    return rowCount === 1;
  }

  async fail(jobId: string, message: string): Promise<void> {
    await this.#db
      .update(entriesTable)
      .set(changeTo({ status: "FAILED", result: message }))
      .where(and(eq(entriesTable.jobId, jobId), notInArray(entriesTable.status, finishedStatuses)));
  }

  async unfinishedJobs(): Promise<string[]> {
    const rows = await this.#db
      .select({ jobId: entriesTable.jobId })
      .from(entriesTable)
      .where(notInArray(entriesTable.status, finishedStatuses));
    return rows.map(({ jobId }) => jobId);
  }

  async readCursor(): Promise<string | null> {
    const [row] = await this.#db.select().from(followerTable);
    return row?.cursor ?? null;
  }

  async writeCursor(cursor: string): Promise<void> {
    await this.#db
      .insert(followerTable)
      .values({ cursor })
      .onConflictDoUpdate({ target: followerTable.isOnly, set: { cursor: sql`excluded.cursor` } });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
