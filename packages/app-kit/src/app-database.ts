import pg from "pg";

export interface AppDatabaseOptions {
  /** Asked for at the first use: `lockstep dev` has an address only after it has loaded the pipelines. */
  readonly databaseUrl: () => Promise<string>;
  /** SQL that makes what is missing, and may be run again. */
  readonly tables: () => Promise<string>;
  /** Of the advisory lock under which that runs; each application has its own. */
  readonly lockKey: number;
  readonly pool: Pick<pg.PoolConfig, "max" | "application_name" | "statement_timeout">;
}

/** An application's own tables, beside the jobs in the same database; opened and made at the first use. */
export class AppDatabase {
  readonly #options: AppDatabaseOptions;
  #pool: Promise<pg.Pool> | null = null;

  constructor(options: AppDatabaseOptions) {
    this.#options = options;
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

  /** Creates the tables, for code that reads them from outside. */
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
    const { databaseUrl, tables, lockKey, pool: poolOptions } = this.#options;
    const pool = new pg.Pool({ connectionString: await databaseUrl(), ...poolOptions });
    // An idle connection that breaks is replaced at the next use.
    pool.on("error", () => {});
    try {
      // Several processes may start at once, and "if not exists" alone does not make that safe.
      await pool.query(`begin; select pg_advisory_xact_lock(${lockKey}); ${await tables()}; commit`);
    } catch (error) {
      await pool.end();
      throw error;
    }
    return pool;
  }
}
