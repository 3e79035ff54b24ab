import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createRoles, migrate } from "@lockstep/database";
import { type LocalPostgres, startPostgres } from "@lockstep/local-postgres";
import pg from "pg";

const settings = {
  // A crash of PostgreSQL is survived without it, and no run crashes the machine.
  fsync: "off",
  max_connections: "200",
  deadlock_timeout: "100ms",
};

/** A PostgreSQL server of the run's own, which may be killed. */
export class ChaosDatabase {
  readonly #dataFolder = join(tmpdir(), `lockstep-chaos-${randomUUID()}`);
  #server: LocalPostgres | null = null;
  #pool: pg.Pool | null = null;
  #isStopped = false;

  static async start(): Promise<ChaosDatabase> {
    const database = new ChaosDatabase();
    await database.startServer();
    // Before the schema, which grants them what they may do.
    await createRoles({ databaseUrl: database.url });
    await migrate({ databaseUrl: database.url });
    return database;
  }

  get url(): string {
    if (this.#server === null) throw new Error("The server was never started.");
    return this.#server.url;
  }

  /** Starts it at the port where it was. */
  async startServer(): Promise<void> {
    const port = this.#server === null ? undefined : Number(new URL(this.#server.url).port);
    for (let triesLeft = 20; ; triesLeft -= 1) {
      try {
        this.#server = await startPostgres({ dataFolder: this.#dataFolder, settings, port });
        return;
      } catch (error) {
        // Backends of a server that was killed are still leaving.
        if (triesLeft === 0) throw error;
        await pause(100);
      }
    }
  }

  /** Ends the server without letting it write anything. */
  async crash(signal: "SIGKILL" | "SIGQUIT"): Promise<void> {
    const pid = this.#server?.pid ?? 0;
    process.kill(pid, signal);
    while (isAlive(pid)) await pause(5);
  }

  /** A statement of the run's own, sent again until it gets through. It must not matter how often it is sent. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const pool = this.#ownPool();
    for (;;) {
      try {
        return (await pool.query<Row>(text, values)).rows;
      } catch (error) {
        if (this.#isStopped || isOurMistake(error)) throw error;
        await pause(50);
      }
    }
  }

  /** The same, sent once. */
  async ask(text: string): Promise<void> {
    await this.#ownPool().query(text);
  }

  /** The jobs that are not finished. */
  async liveIds(): Promise<string[]> {
    return (await this.query<{ id: string }>("select id from lockstep.jobs")).map(({ id }) => id);
  }

  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, application_name: "chaos" });
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  #ownPool(): pg.Pool {
    if (this.#pool !== null) return this.#pool;
    this.#pool = new pg.Pool({ connectionString: this.url, application_name: "chaos", max: 4 });
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
    return this.#pool;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#pool?.end();
    await this.#server?.stop();
    await rm(this.#dataFolder, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function isOurMistake(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code ?? "");
  return /^(22|23|42|P0|LS)/.test(code);
}
