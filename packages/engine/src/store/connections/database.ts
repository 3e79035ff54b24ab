import { types } from "node:util";
import { defaultSchema, type PgPool } from "@lockstep/database";
import type { ConnectionTarget } from "@lockstep/database/internal";
import type pg from "pg";
import type { Clock } from "../../clock.ts";
import { type TextsOfSchema, textsIn } from "../calls/texts-in.ts";
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
import { GivenPool } from "./given-pool.ts";
import type { Outages } from "./outages.ts";
import { OwnPool } from "./own-pool.ts";

export interface DatabaseOptions {
  readonly target: ConnectionTarget;
  /** The application's own, in place of one that is made here. */
  readonly pool?: PgPool | null;
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

/** A connection for one transaction. With an error it does not go back to the pool. */
export interface LentConnection {
  query(statement: string | pg.QueryConfig): Promise<pg.QueryResult>;
  release(error?: Error): void;
}

/** Where the connections come from: a pool of ours, or one of the application's. */
export interface Connections {
  /** Whether statements may keep their names, and so their plans, in the sessions. */
  readonly keepsNames: boolean;
  readonly isClosed: boolean;
  query(statement: pg.QueryConfig): Promise<pg.QueryResult>;
  connect(): Promise<LentConnection>;
  /** Whether the call may be made again at another host, after so many tries: nothing was sent. */
  hasAnotherHost(error: unknown, tries: number): boolean;
  /** The error, with what is known of the other hosts. */
  explained(error: unknown): unknown;
  close(clock: Pick<Clock, "sleep">): Promise<void>;
}

const wholeRetries = 5;

/** Thrown in a transaction to end it without effect, for a reason that is not the database's. */
export class RolledBack {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/** The way of every call. Every statement that passes here is safe to send again, or is sent once. */
export class Database {
  readonly schema: string;
  readonly #texts: TextsOfSchema;
  readonly #connections: Connections;
  readonly #options: DatabaseOptions;

  constructor(options: DatabaseOptions) {
    const { pool = null } = options;
    this.#options = options;
    this.schema = options.schema ?? defaultSchema;
    this.#texts = textsIn(this.schema);
    this.#connections = pool === null ? new OwnPool(options) : new GivenPool(pool);
  }

  /** Rows of one statement in its own transaction. */
  async query<Result = Row>(statement: Statement): Promise<Result[]> {
    return this.#guarded(async () => {
      return takeRows(await this.#connections.query(this.#prepared(statement))) as Result[];
    });
  }

  /** The same with the rows as arrays of their columns. */
  async queryArrays<Result extends readonly unknown[]>(statement: Statement): Promise<Result[]> {
    return this.#guarded(async () => {
      const config = { ...this.#prepared(statement), rowMode: "array" };
      return takeRows(await this.#connections.query(config)) as Result[];
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
      const client = await this.#connections.connect();
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

  /** Ends the connections, if they are our own. */
  async close(clock: Pick<Clock, "sleep">): Promise<void> {
    await this.#connections.close(clock);
  }

  /** A transaction pooler loses named statements between two uses, and in a pool of others they would stay. */
  #prepared(statement: Statement): pg.QueryConfig {
    const { name, values } = statement;
    const text = this.#texts(statement.text);
    return this.#options.transactionPooler || !this.#connections.keepsNames
      ? { text, values: [...values] }
      : { name, text, values: [...values] };
  }

  async #guarded<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.#connections.isClosed) throw new DatabaseUnavailableError({ code: closedCode });
    const { outages } = this.#options;
    let hostsTried = 1;
    for (let runs = 1; ; runs += 1) {
      const begun = outages?.begun() ?? 0;
      try {
        const result = await run();
        outages?.succeeded(begun);
        return result;
      } catch (thrown) {
        if (isRetriedWhole(thrown) && runs <= wholeRetries) continue;
        if (this.#connections.hasAnotherHost(thrown, hostsTried)) {
          hostsTried += 1;
          continue;
        }
        throw thrown instanceof RolledBack
          ? thrown.reason
          : this.#named(this.#connections.explained(thrown), begun);
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
async function rollBack(client: LentConnection): Promise<Error | undefined> {
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
