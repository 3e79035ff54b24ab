import pg from "pg";
import type { Clock } from "../clock.ts";
import { clientSocket } from "./client-socket.ts";

export interface WakeUpListenerParts {
  readonly url: string;
  readonly clock: Clock;
  readonly onWakeUp: () => void;
  readonly onCancel: () => void;
}

// An idle connection has no query that could time out; a half-open one would stay silent for ever.
const pingIntervalMs = 30_000;
const reconnectMs = 1_000;

/** Hears "look now" and "cancel asked". Only a hint: polling stays the truth, so nothing here is ever waited for. */
export class WakeUpListener {
  readonly #parts: WakeUpListenerParts;
  #workerId = "";
  #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #client: pg.Client | null = null;

  constructor(parts: WakeUpListenerParts) {
    this.#parts = parts;
  }

  start(workerId: string): void {
    this.#workerId = workerId;
    this.#stopping = new AbortController();
    this.#running = this.#run(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#listen(signal);
      } catch {
        // The next round connects again; whoever cannot reach PostgreSQL is told so by the pool.
      }
      await this.#parts.clock.sleep(reconnectMs, signal);
    }
  }

  /** Resolves when the connection has ended or the listener is stopped. */
  async #listen(signal: AbortSignal): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#parts.url,
      application_name: "lockstep listener",
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
    });
    const ended = new AbortController();
    const end = () => {
      ended.abort();
      // No goodbye, which would wait for an answer: a connection that has fallen silent gives none.
      clientSocket(client)?.destroy();
    };
    client.on("error", end);
    client.on("end", end);
    const channel = this.#workerId.replaceAll("-", "");
    const cancelChannel = `lockstep_cancel_${channel}`;
    client.on("notification", (message) => {
      if (message.channel === cancelChannel) this.#parts.onCancel();
      else this.#parts.onWakeUp();
    });
    signal.addEventListener("abort", end);
    try {
      await client.connect();
      this.#client = client;
      await client.query(`listen lockstep_${channel}; listen ${cancelChannel}`);
      // What was said before we listened was not heard.
      this.#parts.onWakeUp();
      this.#parts.onCancel();
      while (!ended.signal.aborted) {
        await this.#parts.clock.sleep(pingIntervalMs, ended.signal);
        if (!ended.signal.aborted) await client.query("select 1");
      }
    } finally {
      signal.removeEventListener("abort", end);
      this.#client = null;
      end();
    }
  }

  /** For the health report. */
  get isListening(): boolean {
    return this.#client !== null;
  }
}
