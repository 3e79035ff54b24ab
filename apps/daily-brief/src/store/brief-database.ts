import { readFile } from "node:fs/promises";
import pg from "pg";

/** The database of the app's own tables: connections, the tables themselves, transactions. */
export class BriefDatabase {
  readonly #databaseUrl: () => Promise<string>;
  readonly #withExamples: boolean;
  #pool: Promise<pg.Pool> | null = null;

  /** The address is asked for at the first use: `lockstep dev` has one only after it has loaded the pipelines. */
  constructor(databaseUrl: () => Promise<string>, { withExamples = false } = {}) {
    this.#databaseUrl = databaseUrl;
    this.#withExamples = withExamples;
  }

  async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await (await this.#ready()).query<Row>(text, values)).rows;
  }

  /** Commits what `run` did, or nothing of it. */
  async inTransaction<Answer>(run: (tx: pg.PoolClient) => Promise<Answer>): Promise<Answer> {
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

  /** Makes the tables, for whoever looks into them from outside. */
  async prepare(): Promise<void> {
    await this.#ready();
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
      max: 10,
      application_name: "daily-brief",
    });
    // An idle connection that breaks is replaced at the next use.
    pool.on("error", () => {});
    try {
      const tables = `${await sqlFile("tables.sql")}\n${await sqlFile("queue_rpc.sql")}`;
      // Several processes may start at once, and "if not exists" alone does not make that safe.
      const people = this.#withExamples ? await sqlFile("seed.sql") : "";
      await pool.query(`begin; select pg_advisory_xact_lock(7146201); ${tables}; ${people}; commit`);
    } catch (error) {
      await pool.end();
      throw error;
    }
    return pool;
  }
}

function sqlFile(name: string): Promise<string> {
  return readFile(new URL(`../../sql/${name}`, import.meta.url), "utf8");
}
