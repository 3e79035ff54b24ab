import { Connector, isStartupRefusal } from "@lockstep/database/connector";
import type { ConnectionTarget } from "@lockstep/database/internal";
import pg from "pg";
import type { Clock } from "../../clock.ts";
import { clientSocket } from "./client-socket.ts";
import { sessionSettings } from "./session-settings.js";
import { SharedParts } from "./shared-parts.ts";

/** One who listens. */
export interface Hearer {
  /** What is done with the payload of each channel's notifications. */
  readonly channels: ReadonlyMap<string, (payload: string) => void>;
  /** From now on it hears notifications; it has missed the earlier ones. */
  readonly onHearing: () => void;
}

// An idle connection has no query that could time out; a half-open one would stay silent for ever.
const pingIntervalMs = 30_000;
const reconnectMs = 1_000;
// The server's limit is below the client's, so that a slow statement ends with a clean error.
const statementTimeoutMs = 3_000;
const clientLimitMs = 5_000;

const shared = new SharedParts<ListenConnection>();

/**
 * The one connection on which the workers of a process listen: at each NOTIFY PostgreSQL wakes every connection that
 * listens to anything in this database. Opened again when it ends.
 */
export class ListenConnection {
  readonly #clock: Clock;
  readonly #target: ConnectionTarget;
  #connector: Connector;
  readonly #hearers = new Set<Hearer>();
  /** Those whose channels the present connection listens on. */
  readonly #hearing = new Set<Hearer>();
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;
  #sleeping = new AbortController();

  private constructor(clock: Clock, target: ConnectionTarget) {
    this.#clock = clock;
    this.#target = target;
    this.#connector = connectorFor(target, false);
  }

  static join(clock: Clock, target: ConnectionTarget, hearer: Hearer): ListenConnection {
    const connection = shared.get(clock, target.key, () => new ListenConnection(clock, target));
    connection.#hearers.add(hearer);
    connection.#sleeping.abort();
    connection.#running ??= connection.#run();
    return connection;
  }

  /** Closes the connection with the last one. */
  async leave(hearer: Hearer): Promise<void> {
    this.#hearers.delete(hearer);
    this.#sleeping.abort();
    if (this.#hearers.size > 0) return;
    if (!this.#stopping.signal.aborted) shared.drop(this.#clock, this.#target.key);
    this.#stopping.abort();
    await this.#running;
  }

  isHearing(hearer: Hearer): boolean {
    return this.#hearing.has(hearer);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const beganMs = this.#clock.monotonicMs();
      try {
        await this.#listen(signal);
      } catch (error) {
        // The next round connects again, to another host if there is one; whoever cannot reach PostgreSQL is told so by the pool.
        if (isStartupRefusal(error)) this.#connector = connectorFor(this.#target, true);
      }
      // One that was cut off is replaced at once; one that never came to anything is not tried in a tight loop.
      const livedMs = this.#clock.monotonicMs() - beganMs;
      if (livedMs < reconnectMs) await this.#clock.sleep(reconnectMs - livedMs, signal);
    }
  }

  /** Resolves when the connection has ended or nobody listens any more. */
  async #listen(signal: AbortSignal): Promise<void> {
    const client = new this.#connector.Client({
      application_name: "lockstep listener",
      connectionTimeoutMillis: clientLimitMs,
      query_timeout: clientLimitMs,
      keepAlive: true,
    });
    const ended = new AbortController();
    const end = () => {
      ended.abort();
      this.#sleeping.abort();
      // No goodbye, which would wait for an answer: a connection that has fallen silent gives none.
      clientSocket(client)?.destroy();
    };
    client.on("error", end);
    client.on("end", end);
    client.on("notification", ({ channel, payload = "" }) => {
      for (const hearer of this.#hearers) hearer.channels.get(channel)?.(payload);
    });
    signal.addEventListener("abort", end);
    try {
      await client.connect();
      while (!ended.signal.aborted) {
        // Whoever comes or goes from here on may be too late for this round, and ends its sleep.
        this.#sleeping = new AbortController();
        await this.#keepUp(client);
        await this.#clock.sleep(pingIntervalMs, this.#sleeping.signal);
      }
    } finally {
      signal.removeEventListener("abort", end);
      this.#hearing.clear();
      end();
    }
  }

  /** Listens for those who have come and no more for those who have gone; with neither, it is a ping. */
  async #keepUp(client: pg.Client): Promise<void> {
    const come = [...this.#hearers].filter((hearer) => !this.#hearing.has(hearer));
    const gone = [...this.#hearing].filter((hearer) => !this.#hearers.has(hearer));
    const statements = [...statementsOf("listen", come), ...statementsOf("unlisten", gone)];
    await client.query(statements.length > 0 ? statements.join("; ") : "select 1");
    for (const hearer of gone) this.#hearing.delete(hearer);
    for (const hearer of come) {
      this.#hearing.add(hearer);
      if (this.#hearers.has(hearer)) hearer.onHearing();
    }
  }
}

/** A pooler that leaves each connection its session may still refuse settings of it. */
function connectorFor(target: ConnectionTarget, isPooled: boolean): Connector {
  const startup = sessionSettings({ statementTimeoutMs, isPooled });
  return new Connector({ Client: pg.Client, target, password: target.password, startup, isPooled });
}

function statementsOf(verb: "listen" | "unlisten", hearers: readonly Hearer[]): string[] {
  return hearers.flatMap(({ channels }) => [...channels.keys()].map((channel) => `${verb} ${channel}`));
}
