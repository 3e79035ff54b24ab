import { Worker, type WorkerOptions } from "node:worker_threads";
import type { PasswordRequest } from "@lockstep/database";
import type { Clock } from "../../clock.ts";
import { isUnavailable } from "../../store/connections/database-error.ts";
import type { Renewal } from "../../store/connections/heartbeat-connection.js";
import { SharedParts } from "../../store/connections/shared-parts.ts";
import { heartbeatProgram } from "./heartbeat-program.ts";
import { type CompanySettings, threadSettings } from "./heartbeat-settings.ts";
import type {
  HeartbeatData,
  HeartbeatMember,
  HeartbeatMessage,
  HeartbeatOrder,
  PasswordAnswer,
} from "./heartbeat-thread.js";
import { LeaseMemory } from "./lease-memory.js";

/** One worker's part in it. */
export interface Heartbeat extends HeartbeatMember {
  /** The report as JSON text. */
  readonly report: () => string | null;
  readonly onAnswer: (answer: Renewal) => void;
  /** Not for outages: the pool tells those. */
  readonly onFailure: (error: Error) => void;
}

const restartMs = 1_000;
const stopLimitMs = 800;

const shared = new SharedParts<HeartbeatCompany>();

/**
 * The workers of this process that share a heartbeat thread, with one connection and one statement for all: a thread for
 * each would cost an idle worker more than everything else it does. Starts the thread again if it dies.
 */
export class HeartbeatCompany {
  readonly #clock: Clock;
  readonly #settings: CompanySettings;
  readonly #key: string;
  readonly #members = new Map<string, Heartbeat>();
  readonly #stopping = new AbortController();
  #thread: Worker | null = null;
  #ended: Promise<void> | null = null;

  private constructor(clock: Clock, settings: CompanySettings, key: string) {
    this.#clock = clock;
    this.#settings = settings;
    this.#key = key;
  }

  /** The company of those with the same settings, with this one in it. */
  static join(clock: Clock, settings: CompanySettings, one: Heartbeat): HeartbeatCompany {
    const key = JSON.stringify(Object.entries(settings).sort());
    const company = shared.get(clock, key, () => new HeartbeatCompany(clock, settings, key));
    company.#members.set(one.workerId, one);
    company.#tellOf(one);
    company.#ended ??= company.#run();
    return company;
  }

  /** Waits for the thread's end when this was the last one, though no longer than a second. */
  async leave({ workerId }: Heartbeat): Promise<void> {
    this.#forget(workerId);
    if (this.#members.size > 0) return;
    const waiting = new AbortController();
    await Promise.race([this.#ended, this.#clock.sleep(stopLimitMs, waiting.signal)]);
    waiting.abort();
    // A thread that waits for a name server must not keep the process alive.
    this.#thread?.unref();
    void this.#thread?.terminate();
  }

  #forget(workerId: string): void {
    if (!this.#members.delete(workerId)) return;
    this.#tell({ kind: "leave", workerId });
    if (this.#members.size > 0) return;
    shared.drop(this.#clock, this.#key);
    this.#stopping.abort();
    this.#tell({ kind: "stop" });
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#runThread().catch((error: unknown) => this.#died(error));
      if (!this.#stopping.signal.aborted) await this.#clock.sleep(restartMs, this.#stopping.signal);
    }
  }

  /** Resolves when the thread has ended, whatever ended it. */
  async #runThread(): Promise<void> {
    // Without the process's own flags: a loader or an inspector is not for this thread.
    const { program, isText, execArgv } = heartbeatProgram();
    const workerData: HeartbeatData = {
      ...threadSettings(this.#settings),
      startedAtMs: LeaseMemory.nowMs(),
    };
    const options: WorkerOptions = {
      eval: isText,
      name: "lockstep heartbeat",
      workerData,
      execArgv: [...execArgv],
    };
    // Not with `new`: bundlers would look for a file of that name, and take every file of this package along.
    const thread: Worker = Reflect.construct(Worker, [program, options]);
    this.#thread = thread;
    thread.on("message", (message: HeartbeatMessage) => this.#hear(message));
    thread.on("error", (error) => this.#died(error));
    for (const one of this.#members.values()) this.#tellOf(one);
    await new Promise<void>((resolve) => {
      thread.on("exit", () => {
        this.#thread = null;
        resolve();
      });
    });
  }

  #hear(message: HeartbeatMessage): void {
    if (message.kind === "report") {
      const reports = new Map([...this.#members].map(([workerId, one]) => [workerId, one.report()]));
      this.#tell({ kind: "report", reports });
    } else if (message.kind === "password") {
      const { number, request } = message;
      void this.#passwordFor(request).then((answer) => this.#tell({ kind: "password", number, ...answer }));
    } else if (message.kind === "failure") {
      const error = Object.assign(new Error(message.message), { code: message.code });
      if (isUnavailable(error)) return;
      for (const workerId of message.workerIds) this.#members.get(workerId)?.onFailure(error);
    } else {
      for (const answer of message.answers) {
        const one = this.#members.get(answer.workerId);
        // The thread has let go of it, too.
        if (!answer.isAlive) this.#forget(answer.workerId);
        one?.onAnswer(answer);
      }
    }
  }

  async #passwordFor(request: PasswordRequest): Promise<PasswordAnswer> {
    try {
      const { password } = this.#settings.target;
      return { password: (await password?.(request)) ?? "" };
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  }

  #died(cause: unknown): void {
    for (const one of this.#members.values()) one.onFailure(new HeartbeatThreadError(cause));
  }

  #tellOf({ workerId, memory }: HeartbeatMember): void {
    this.#tell({ kind: "join", member: { workerId, memory } });
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
