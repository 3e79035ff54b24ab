import { types } from "node:util";
import { defaultSchema } from "@lockstep/database";
import pg from "pg";
import type { Clock } from "../../clock.ts";
import { type TextsOfSchema, textsIn } from "../calls/texts-in.ts";
import { clientSocket } from "./client-socket.ts";
import {
  closedCode,
  DatabaseUnavailableError,
  isRetriedWhole,
  isStatementTimeout,
  isUnavailable,
  missingSchema,
  refusalOf,
  StatementTimeoutError,
} from "./database-error.ts";
import type { Outages } from "./outages.ts";

export interface DatabaseOptions {
  readonly url: string;
  /** The name of the schema; the usual one unless told. */
  readonly schema?: string;
  readonly connections: number;
  readonly transactionPooler: boolean;
  readonly applicationName: string;
  /** After so long PostgreSQL ends a statement; 10 s unless told. */
  readonly statementTimeoutMs?: number;
  /** Nothing is written, and that a statement took too long says nothing about the database. */
  readonly isReadOnly?: boolean;
  /** Hears of every call that succeeds, and of those that fail because the database is away. */
  readonly outages?: Pick<Outages, "begun" | "succeeded" | "failed">;
}

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export type Row = Record<string, unknown>;

// The server's limit is below the client's, so that a slow statement ends with a clean error.
const usualStatementTimeoutMs = 10_000;
const clientPatienceMs = 5_000;
const connectTimeoutMs = 5_000;
const wholeRetries = 5;
const politeMs = 500;

/** Thrown in a transaction to end it without effect, for a reason that is not the database's. */
export class RolledBack {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/** The pool. Every statement that passes here is safe to send again, or is sent once. */
export class Database {
  readonly schema: string;
  readonly #texts: TextsOfSchema;
  readonly #pool: pg.Pool;
  readonly #options: DatabaseOptions;
  readonly #clients = new Set<pg.PoolClient>();

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.schema = options.schema ?? defaultSchema;
    this.#texts = textsIn(this.schema);
    this.#pool = new pg.Pool(clientConfig(options));
    // Without a listener a connection that ends while idle, or checked out, ends the process.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => {
      this.#clients.add(client);
      client.on("error", () => {});
    });
    this.#pool.on("remove", (client) => this.#clients.delete(client));
  }

  /** Rows of one statement in its own transaction. */
  async query<Result = Row>(statement: Statement): Promise<Result[]> {
    return this.#guarded(async () => {
      return takeRows(await this.#pool.query(this.#prepared(statement))) as Result[];
    });
  }

  /** The same with the rows as arrays of their columns. */
  async queryArrays<Result extends readonly unknown[]>(statement: Statement): Promise<Result[]> {
    return this.#guarded(async () => {
      const config = { ...this.#prepared(statement), rowMode: "array" };
      return takeRows(await this.#pool.query(config)) as Result[];
    });
  }

  /**
   * Several statements in one transaction, on a connection of their own. After a deadlock or the like `run` runs again from
   * its start: its input must be there again then, so it takes arrays, or functions that make its input.
   */
  async transaction<Result>(
    run: (query: (statement: Statement) => Promise<Row[]>) => Promise<Result>,
  ): Promise<Result> {
    return this.#guarded(async () => {
      const client = await this.#pool.connect();
      let failure: Error | undefined;
      try {
        await client.query("begin");
        const result = await run(async (statement) => (await client.query(this.#prepared(statement))).rows);
        await client.query("commit");
        return result;
      } catch (error) {
        failure = error instanceof RolledBack ? await rollBack(client) : asError(error);
        throw error;
      } finally {
        // A connection in an unknown state must not go back to the pool.
        client.release(failure);
      }
    });
  }

  /** Ends the connections: politely, then by force, since a hanging query would wait for its timeout. */
  async close(clock: Pick<Clock, "sleep">): Promise<void> {
    if (this.#pool.ended || this.#pool.ending) return;
    const ended = new AbortController();
    const ending = this.#pool.end().finally(() => ended.abort());
    await clock.sleep(politeMs, ended.signal);
    for (const client of this.#clients) clientSocket(client)?.destroy();
    if (!ended.signal.aborted) ending.catch(() => {});
    else await ending;
  }

  /** A transaction pooler loses named statements between two uses. */
  #prepared(statement: Statement): pg.QueryConfig {
    const { name, values } = statement;
    const text = this.#texts(statement.text);
    return this.#options.transactionPooler
      ? { text, values: [...values] }
      : { name, text, values: [...values] };
  }

  async #guarded<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.#pool.ending) throw new DatabaseUnavailableError({ code: closedCode });
    const { outages } = this.#options;
    for (let runs = 1; ; runs += 1) {
      const begun = outages?.begun() ?? 0;
      try {
        const result = await run();
        outages?.succeeded(begun);
        return result;
      } catch (thrown) {
        if (isRetriedWhole(thrown) && runs <= wholeRetries) continue;
        throw thrown instanceof RolledBack ? thrown.reason : this.#named(thrown, begun);
      }
    }
  }

  #named(thrown: unknown, begun: number): unknown {
    // Not by its class: a test runner's sandbox has an Error of its own, and sockets do not throw that one.
    if (!types.isNativeError(thrown)) return thrown;
    const refusal = refusalOf(thrown);
    if (refusal !== null) return refusal;
    if (!isUnavailable(thrown)) return missingSchema(thrown, this.schema) ?? thrown;
    if (this.#options.isReadOnly && isStatementTimeout(thrown)) return new StatementTimeoutError(thrown);
    const error = new DatabaseUnavailableError(thrown);
    this.#options.outages?.failed(begun, error);
    return error;
  }
}

/**
 * The rows, out of their answer. The driver's timer puts its callback into a query that is made already, and V8 (of
 * Node 20) then keeps the query and its answer until a full collection: with their rows, a sixth of a busy worker's CPU.
 */
function takeRows(result: pg.QueryResult): unknown[] {
  const { rows } = result;
  result.rows = [];
  return rows;
}

/** The error that made it fail; undefined when the connection can be used again. */
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query("rollback");
    return undefined;
  } catch (error) {
    return asError(error);
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function clientConfig(options: DatabaseOptions): pg.PoolConfig {
  const { url, connections, transactionPooler, applicationName, isReadOnly = false } = options;
  const { statementTimeoutMs = usualStatementTimeoutMs } = options;
  return {
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs + clientPatienceMs,
    // One stays open: an occasional look would otherwise pay for a new connection and its plans each time.
    min: 1,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    // A pooler refuses startup parameters it does not know.
    ...(transactionPooler
      ? {}
      : {
          application_name: applicationName,
          statement_timeout: statementTimeoutMs,
          lock_timeout: 5_000,
          idle_in_transaction_session_timeout: 30_000,
          ...(isReadOnly ? { options: "-c default_transaction_read_only=on" } : {}),
        }),
  };
}
