import { Worker } from "node:worker_threads";
import type { Clock } from "../clock.ts";
import { isUnavailable } from "../store/database-error.ts";
import type { Renewal } from "../store/heartbeat-connection.js";
import type { HeartbeatData, HeartbeatMessage, HeartbeatOrder } from "./heartbeat-thread.js";

export interface HeartbeatParts {
  readonly data: HeartbeatData;
  readonly clock: Clock;
  /** The report as JSON text. */
  readonly report: () => string | null;
  readonly onAnswer: (answer: Renewal) => void;
  /** Not for outages: the pool tells those. */
  readonly onFailure: (error: Error) => void;
}

const restartMs = 1_000;
const stopLimitMs = 800;

/** Keeps the heartbeat thread of one worker id running, and starts it again should it die. */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  readonly #stopping = new AbortController();
  #thread: Worker | null = null;
  #ended: Promise<void> = Promise.resolve();

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** Does not wait longer than a second, however the database behaves. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#tell({ kind: "stop" });
    const waiting = new AbortController();
    await Promise.race([this.#ended, this.#parts.clock.sleep(stopLimitMs, waiting.signal)]);
    waiting.abort();
    // One that hangs in the name server's hands must not keep the process alive.
    this.#thread?.unref();
    void this.#thread?.terminate();
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#runThread().catch((error: unknown) => this.#fail(new HeartbeatThreadError(error)));
      if (!this.#stopping.signal.aborted) await this.#parts.clock.sleep(restartMs, this.#stopping.signal);
    }
  }

  /** Resolves when the thread has ended, whatever ended it. */
  async #runThread(): Promise<void> {
    // Without the process's own flags: a loader or an inspector is not for this thread.
    const thread = new Worker(new URL("./heartbeat-thread.js", import.meta.url), {
      name: "lockstep heartbeat",
      workerData: this.#parts.data,
      execArgv: [],
    });
    this.#thread = thread;
    thread.on("message", (message: HeartbeatMessage) => this.#hear(message));
    thread.on("error", (error) => this.#fail(new HeartbeatThreadError(error)));
    await new Promise<void>((resolve) => {
      thread.on("exit", () => {
        this.#thread = null;
        resolve();
      });
    });
  }

  #hear(message: HeartbeatMessage): void {
    if (this.#stopping.signal.aborted) return;
    if (message.kind === "report") this.#tell({ kind: "report", report: this.#parts.report() });
    else if (message.kind === "failure") this.#failUnlessOutage(message);
    else {
      // The thread ends by itself after this answer.
      if (!message.isAlive) this.#stopping.abort();
      this.#parts.onAnswer(message);
    }
  }

  #failUnlessOutage({ message, code }: { message: string; code: string | null }): void {
    const error = Object.assign(new Error(message), { code });
    if (!isUnavailable(error)) this.#fail(error);
  }

  #fail(error: Error): void {
    if (!this.#stopping.signal.aborted) this.#parts.onFailure(error);
  }

  #tell(order: HeartbeatOrder): void {
    this.#thread?.postMessage(order);
  }
}

class HeartbeatThreadError extends Error {
  override readonly name = "HeartbeatThreadError";

  constructor(cause: unknown) {
    super("The heartbeat thread died and is started again.", { cause });
  }
}
