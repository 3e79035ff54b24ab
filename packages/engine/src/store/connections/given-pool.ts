import type { PgPool } from "@lockstep/database";
import pg from "pg";
import type { Connections, LentConnection } from "./database.ts";
import { isRetriedWhole, isUnavailable, poolUnfitCode } from "./database-error.ts";

// As long as a call of our own pool may take.
const queryTimeoutMs = 15_000;

const settingsQuery =
  "select current_setting('default_transaction_isolation') as isolation, current_setting('DateStyle') as date_style";

interface SessionSettings {
  readonly isolation: string;
  readonly date_style: string;
}

/**
 * A pool of the application's. Its sessions are left as they are: no settings, no named statements, no LISTEN. What ours are
 * told when they are opened is asked here once for each, and a session that does not fit is refused.
 */
export class GivenPool implements Connections {
  readonly keepsNames = false;
  readonly #pool: PgPool;
  readonly #fitting = new WeakSet<pg.PoolClient>();
  #isClosed = false;

  constructor(pool: PgPool) {
    this.#pool = pool;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const connection = await this.connect();
    let failure: Error | undefined;
    try {
      return await connection.query(statement);
    } catch (error) {
      // A statement that was refused leaves the session as it was.
      if (isUnavailable(error) && !isRetriedWhole(error)) failure = error as Error;
      throw error;
    } finally {
      connection.release(failure);
    }
  }

  async connect(): Promise<LentConnection> {
    const client = await this.#pool.connect();
    const lent = lentOf(client);
    if (this.#fitting.has(client)) return lent;
    try {
      const { rows } = await lent.query(settingsQuery);
      checkFit(rows[0]);
      this.#fitting.add(client);
      return lent;
    } catch (error) {
      lent.release(error as Error);
      throw error;
    }
  }

  hasAnotherHost(): boolean {
    return false;
  }

  explained(error: unknown): unknown {
    return error;
  }

  /** The pool is not ours to end. */
  async close(): Promise<void> {
    this.#isClosed = true;
  }
}

function lentOf(client: pg.PoolClient): LentConnection {
  // The pool listens only while it has the connection itself; one that breaks meanwhile would end the process.
  const ignore = () => {};
  client.on("error", ignore);
  return {
    // With the driver's own types: the pool may have others.
    query: (statement) => {
      const config = typeof statement === "string" ? { text: statement } : statement;
      const limited = { ...config, types: pg.types, query_timeout: queryTimeoutMs };
      return client.query(limited);
    },
    release(error) {
      client.off("error", ignore);
      client.release(error);
    },
  };
}

function checkFit({ isolation, date_style: dateStyle }: SessionSettings): void {
  if (isolation !== "read committed") {
    throw unfit(
      `default_transaction_isolation ${isolation}`,
      "default_transaction_isolation=read\\ committed",
    );
  }
  if (!dateStyle.startsWith("ISO")) throw unfit(`DateStyle ${dateStyle}`, "DateStyle=ISO");
}

function unfit(found: string, wanted: string): Error {
  const sentence = `The sessions of the pool have ${found}, with which jobs cannot be kept apart or read: give the pool options: "-c ${wanted}", or give databaseUrl or connection in place of the pool`;
  return Object.assign(new Error(sentence), { code: poolUnfitCode });
}
