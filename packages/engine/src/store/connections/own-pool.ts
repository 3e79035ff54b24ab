import { Connector } from "@lockstep/database/connector";
import pg from "pg";
import type { Clock } from "../../clock.ts";
import { clientSocket } from "./client-socket.ts";
import type { Connections, DatabaseOptions, LentConnection } from "./database.ts";
import { sessionSettings } from "./session-settings.js";

// The server's limit is below the client's, so that a slow statement ends with a clean error.
const usualStatementTimeoutMs = 10_000;
const clientPatienceMs = 5_000;
const connectTimeoutMs = 5_000;
const lockTimeoutMs = 5_000;
const politeMs = 500;

/** Connections of our own. Each session gets what it needs with the first message of its connection. */
export class OwnPool implements Connections {
  readonly keepsNames = true;
  readonly #connector: Connector;
  readonly #pool: pg.Pool;
  readonly #clients = new Set<pg.PoolClient>();

  constructor(options: DatabaseOptions) {
    const { connections, applicationName, statementTimeoutMs = usualStatementTimeoutMs } = options;
    this.#connector = connectorFor(options, statementTimeoutMs);
    this.#pool = new pg.Pool({
      Client: this.#connector.Client,
      ...(options.transactionPooler ? {} : { application_name: applicationName }),
      max: connections,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: statementTimeoutMs + clientPatienceMs,
      // One stays open: an occasional look would otherwise pay for a new connection and its plans each time.
      min: 1,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
    });
    // Without a listener a connection that ends while idle ends the process.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => this.#clients.add(client));
    this.#pool.on("remove", (client) => this.#clients.delete(client));
  }

  get isClosed(): boolean {
    return this.#pool.ending;
  }

  query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    return this.#pool.query(statement);
  }

  connect(): Promise<LentConnection> {
    return this.#pool.connect();
  }

  hasAnotherHost(error: unknown, tries: number): boolean {
    return this.#connector.hasAnother(error, tries);
  }

  explained(error: unknown): unknown {
    return this.#connector.explained(error);
  }

  /** Politely, then by force, since a hanging query would wait for its timeout. */
  async close(clock: Pick<Clock, "sleep">): Promise<void> {
    if (this.#pool.ended || this.#pool.ending) return;
    const ended = new AbortController();
    const ending = this.#pool.end().finally(() => ended.abort());
    await clock.sleep(politeMs, ended.signal);
    for (const client of this.#clients) clientSocket(client)?.destroy();
    if (!ended.signal.aborted) ending.catch(() => {});
    else await ending;
  }
}

function connectorFor(options: DatabaseOptions, statementTimeoutMs: number): Connector {
  const { target, transactionPooler, isReadOnly = false } = options;
  // Whoever makes its own session read-only cannot see whether the server is.
  const accepts = isReadOnly && target.accepts === "read-write" ? "primary" : target.accepts;
  const startup = {
    ...sessionSettings({ statementTimeoutMs, isPooled: transactionPooler }),
    ...(transactionPooler ? {} : { lock_timeout: String(lockTimeoutMs) }),
    ...(transactionPooler || !isReadOnly ? {} : { default_transaction_read_only: "on" }),
  };
  const { hosts, password } = target;
  const isPooled = transactionPooler;
  return new Connector({ Client: pg.Client, target: { hosts, accepts }, password, startup, isPooled });
}
