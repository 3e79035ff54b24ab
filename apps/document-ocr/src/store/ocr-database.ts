import { readFile } from "node:fs/promises";
import pg from "pg";

/** The app's tables, beside the jobs in the same database; opened and made at the first use. */
export class OcrDatabase {
  readonly #databaseUrl: () => Promise<string>;
  #pool: Promise<pg.Pool> | null = null;

  constructor(databaseUrl: () => Promise<string>) {
    this.#databaseUrl = databaseUrl;
  }

  async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await (await this.#ready()).query<Row>(text, values)).rows;
  }

  /** Commits what `run` did, or nothing of it. */
  async inTransaction<Answer>(run: (tx: pg.ClientBase) => Promise<Answer>): Promise<Answer> {
    const client = await (await this.#ready()).connect();
    try {
      await client.query("begin");
      const answer = await run(client);
      await client.query("commit");
      client.release();
      return answer;
    } catch (error) {
      // Not given back: nobody knows where its transaction stands.
      client.release(true);
      throw error;
    }
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => null);
    this.#pool = null;
    await pool?.end();
  }

  #ready(): Promise<pg.Pool> {
    this.#pool ??= this.#open().catch((error: unknown) => {
      this.#pool = null;
      throw error;
    });
    return this.#pool;
  }

  async #open(): Promise<pg.Pool> {
    const pool = new pg.Pool({
      connectionString: await this.#databaseUrl(),
      max: 5,
      application_name: "document-ocr",
      statement_timeout: 30_000,
    });
    // An idle connection that breaks is replaced at the next use.
    pool.on("error", () => {});
    try {
      const tables = await readFile(new URL("../../sql/tables.sql", import.meta.url), "utf8");
      // Several processes may start at once, and "if not exists" alone does not make that safe.
      await pool.query(`begin; select pg_advisory_xact_lock(7146203); ${tables}; commit`);
    } catch (error) {
      await pool.end();
      throw error;
    }
    return pool;
  }
}
