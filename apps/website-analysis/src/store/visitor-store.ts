import { randomBytes } from "node:crypto";
import type { PoolClient } from "pg";
import type { SiteDatabase } from "./site-database.ts";

export interface VisitorLimits {
  /** Analyses that wait or run. */
  readonly atOnce: number;
  readonly perHour: number;
}

/** How much each visitor has asked for, and the secret by which they are known again. */
export class VisitorStore {
  readonly #database: Pick<SiteDatabase, "rows" | "inTransaction">;
  readonly #limits: VisitorLimits;

  constructor(database: Pick<SiteDatabase, "rows" | "inTransaction">, limits: VisitorLimits) {
    this.#database = database;
    this.#limits = limits;
  }

  /** The same for all processes, and after a restart. */
  async secret(): Promise<string> {
    const [row] = await this.#database.rows<{ secret: string }>(
      `with made as (
         insert into website_analysis.secrets (secret) values ($1) on conflict do nothing returning secret
       )
       select secret from made union all select secret from website_analysis.secrets limit 1`,
      [randomBytes(32).toString("base64url")],
    );
    // Another process made it at the same moment, after this statement began.
    return row?.secret ?? this.secret();
  }

  /**
   * Takes an address and adds its analysis, in one transaction. Throws TooManyError if the visitor has asked for too much; `live` says how
   * many of their analyses wait or run, `add` answers with the id of the new one.
   */
  take(
    { visitor, url }: { readonly visitor: string; readonly url: string },
    live: () => Promise<number>,
    add: (tx: PoolClient) => Promise<string>,
  ): Promise<string> {
    const { atOnce, perHour } = this.#limits;
    return this.#database.inTransaction(async (tx) => {
      // One after the other for a visitor: two that count together would both find the last place free.
      await tx.query("select pg_advisory_xact_lock(7146206, hashtext($1))", [visitor]);
      const { rows } = await tx.query<{ count: number; next: Date | null }>(
        `select count(*)::int as count, min(requested_at) + interval '1 hour' as next
         from website_analysis.analyses where visitor = $1 and requested_at > now() - interval '1 hour'`,
        [visitor],
      );
      const [{ count, next } = { count: 0, next: null }] = rows;
      if (count >= perHour) throw new TooManyError(hourText(perHour, next));
      if ((await live()) >= atOnce) throw new TooManyError(atOnceText(atOnce));
      const id = await add(tx);
      await tx.query(
        "insert into website_analysis.analyses (id, visitor, url) values ($1, $2, $3) on conflict do nothing",
        [id, visitor, url],
      );
      return id;
    });
  }

  /** The addresses of the visitor's last analyses, by id. */
  async urlsOf(visitor: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#database.rows<{ id: string; url: string }>(
      "select id, url from website_analysis.analyses where visitor = $1 and id = any($2)",
      [visitor, ids],
    );
    return new Map(rows.map(({ id, url }) => [id, url]));
  }

  /** What the engine no longer has needs no address. */
  async forget(olderThanDays: number): Promise<void> {
    await this.#database.rows(
      `with gone as (
         delete from website_analysis.analyses where requested_at < now() - $1 * interval '1 day' returning id
       )
       delete from website_analysis.shares where analysis_id in (select id from gone)`,
      [olderThanDays],
    );
  }
}

/** A visitor has asked for more than one may. */
export class TooManyError extends Error {
  override readonly name = "TooManyError";
}

function atOnceText(atOnce: number): string {
  return `You have ${atOnce} analyses waiting or running, and more are not taken at once. Try again when one of them has ended.`;
}

function hourText(perHour: number, next: Date | null): string {
  const when = next === null ? "later" : `after ${next.toISOString().slice(11, 16)} UTC`;
  return `You have begun ${perHour} analyses within an hour, and more are not taken. Try again ${when}.`;
}
