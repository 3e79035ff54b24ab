export interface Queryable {
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
}

/** Tells whether anything was written since the last look. */
export class StoredState {
  readonly #db: Queryable;
  #nextXid = "0";

  constructor(db: Queryable) {
    this.#db = db;
  }

  async look(): Promise<void> {
    const [row] = await this.#db.query<{ xid: string }>(
      "select pg_snapshot_xmax(pg_current_snapshot())::text as xid",
    );
    this.#nextXid = row?.xid ?? "0";
  }

  /** The tables with rows that a transaction has written since the last look. One that was rolled back has written none. */
  async changes(): Promise<string[]> {
    const committed = await this.#db.query<{ xid: string }>(
      `select x::text as xid
       from generate_series($1::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1) x
       where pg_xact_status(x::text::xid8) = 'committed'`,
      [this.#nextXid],
    );
    if (committed.length === 0) return [];
    // PostgreSQL's own upkeep writes too, but not into our tables.
    const tables = await this.#db.query<{ name: string }>(
      `select c.oid::regclass::text as name
       from pg_class c
       where c.relnamespace = 'lockstep'::regnamespace and c.relkind = 'r'`,
    );
    const looks = tables.map(
      ({ name }) => `select '${name}' as name where exists (select from ${name} where xmin::text = any ($1))`,
    );
    const changed = await this.#db.query<{ name: string }>(looks.join(" union all "), [
      committed.map(({ xid }) => xid),
    ]);
    return changed.map(({ name }) => name);
  }
}
