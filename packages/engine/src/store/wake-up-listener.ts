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
// Those who ask whether a process is ready do not wait for long.
const hearWithinMs = 500;

/** Hears "look now" and "cancel asked". Only a hint: polling stays the truth, so nothing here is ever waited for. */
export class WakeUpListener {
  readonly #parts: WakeUpListenerParts;
  #workerId = "";
  #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #client: pg.Client | null = null;
  #pings = new Map<string, AbortController>();
  #pingCount = 0;

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
    const pingChannel = this.#pingChannel;
    const cancelChannel = `lockstep_cancel_${channel}`;
    client.on("notification", (message) => {
      if (message.channel === pingChannel) this.#pings.get(message.payload ?? "")?.abort();
      else if (message.channel === cancelChannel) this.#parts.onCancel();
      else this.#parts.onWakeUp();
    });
    signal.addEventListener("abort", end);
    try {
      await client.connect();
      this.#client = client;
      await client.query(`listen lockstep_${channel}; listen ${cancelChannel}; listen ${pingChannel}`);
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

  /**
   * How long it takes until a notification that another connection sends is heard, with the sending; half a second, if
   * it is not heard within it, and null while there is no connection to hear it.
   */
  async lagMs(notify: (channel: string, payload: string) => Promise<void>): Promise<number | null> {
    if (this.#client === null) return null;
    const { clock } = this.#parts;
    const heard = new AbortController();
    this.#pingCount += 1;
    const payload = String(this.#pingCount);
    this.#pings.set(payload, heard);
    try {
      const beganAtMs = clock.monotonicMs();
      let failure: unknown = null;
      void notify(this.#pingChannel, payload).catch((error) => {
        failure = error;
        heard.abort();
      });
      await clock.sleep(hearWithinMs, heard.signal);
      if (failure !== null) throw failure;
      return Math.min(hearWithinMs, clock.monotonicMs() - beganAtMs);
    } finally {
      this.#pings.delete(payload);
    }
  }

  get #pingChannel(): string {
    return `lockstep_ping_${this.#workerId.replaceAll("-", "")}`;
  }

  /** For the health report. */
  get isListening(): boolean {
    return this.#client !== null;
  }
}
