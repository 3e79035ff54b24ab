import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

export interface WorkerProcessesOptions {
  readonly count: number;
  /** The program of a worker, given its name as its argument. */
  readonly program: URL;
  readonly env: Readonly<Record<string, string | undefined>>;
  say(text: string): void;
}

const restartAfterMs = 1_000;

/** Keeps so many worker processes running: one that dies is replaced, whatever killed it. */
export class WorkerProcesses {
  readonly #options: WorkerProcessesOptions;
  readonly #running = new Map<string, ChildProcess>();
  readonly #stopping = new AbortController();
  #keepers: Promise<void>[] = [];

  constructor(options: WorkerProcessesOptions) {
    this.#options = options;
  }

  start(): void {
    const names = Array.from({ length: this.#options.count }, (_, index) => `ocr-worker-${index + 1}`);
    this.#keepers = names.map((name) => this.#keep(name));
  }

  get pids(): ReadonlyMap<string, number | undefined> {
    return new Map([...this.#running].map(([name, child]) => [name, child.pid]));
  }

  /** Each finishes what it is at, as long as its engine lets it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const child of this.#running.values()) child.kill("SIGTERM");
    await Promise.all(this.#keepers);
  }

  async #keep(name: string): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const end = await this.#run(name);
      if (signal.aborted) return;
      this.#options.say(`${name} ended (${end}); another one starts`);
      await pause(restartAfterMs, undefined, { signal }).catch(() => {});
    }
  }

  async #run(name: string): Promise<string> {
    const { program, env } = this.#options;
    const child = fork(program, [name], {
      env: { ...env },
      // Ctrl-C reaches the whole process group: the workers should stop when they are told, not by themselves.
      detached: true,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#running.set(name, child);
    try {
      await once(child, "exit");
    } catch (error) {
      return String(error);
    } finally {
      this.#running.delete(name);
    }
    return child.signalCode ?? `code ${child.exitCode}`;
  }
}
