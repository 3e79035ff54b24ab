import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { environmentWith } from "../scenarios/faults/environment-with.ts";
import type { TcpProxy } from "../scenarios/faults/tcp-proxy.ts";
import type { Loss } from "./recovery.ts";

/** What a process of a run is started with; it may differ from start to start. */
export interface Launch {
  readonly program: string;
  readonly options: object;
  readonly nodeFlags?: readonly string[];
  /** Modules that are loaded before it. */
  readonly imports?: readonly string[];
}

// One that cannot even start would be started for ever.
const crashLimit = 3;

/** One of the run's processes, started anew whenever it has ended, until the run is over. */
export class ChaosProcess {
  readonly name: string;
  /** Between it and the database, where the run has faults of the network. */
  readonly proxy: TcpProxy | null;
  readonly #launch: (start: number) => Launch;
  #child: ChildProcess | null = null;
  readonly #leaving = new Set<ChildProcess>();
  #starts = 0;
  #isOver = false;
  /** A fault has it in its hands. */
  isTroubled = false;
  isReady = false;
  /** When and under which id its starts have ended. */
  readonly deaths: Loss[] = [];
  /** Ends that no fault has brought about. */
  readonly crashes: string[] = [];
  /** What its last start said to the standard error stream. */
  lastWords = "";

  constructor(name: string, proxy: TcpProxy | null, launch: (start: number) => Launch) {
    this.name = name;
    this.proxy = proxy;
    this.#launch = launch;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get starts(): number {
    return this.#starts;
  }

  start(): void {
    const { program, options, nodeFlags = [], imports = [] } = this.#launch(this.#starts);
    this.#starts += 1;
    this.isReady = false;
    const child = fork(program, [JSON.stringify(options)], {
      execArgv: [...nodeFlags],
      env: environmentWith(imports),
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child = child;
    child.stderr?.on("data", (chunk: Buffer) => {
      this.lastWords = (this.lastWords + chunk.toString("utf8")).slice(-4_000);
    });
    child.on("message", (word) => {
      if (word === "ready" && this.#child === child) this.isReady = true;
    });
    child.on("exit", (code, signal) => {
      this.deaths.push({ pid: child.pid ?? 0, atMs: Date.now(), untilMs: Number.POSITIVE_INFINITY });
      if (this.#child !== child || this.#isOver) return;
      if (!this.isTroubled) {
        this.crashes.push(`${this.name} ended by itself (${signal ?? `code ${code}`}):\n${this.lastWords}`);
      }
      if (this.crashes.length < crashLimit) this.start();
    });
    child.on("error", () => {});
  }

  /** Resolves when it works. */
  async untilReady(): Promise<void> {
    while (!this.isReady && !this.#isOver) {
      if (this.crashes.length >= crashLimit) throw new Error(this.crashes.at(-1));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Resolves when it has ended, was started anew, and works. */
  async untilStartedAfter(starts: number): Promise<void> {
    while (this.#starts === starts && !this.#isOver) await new Promise((resolve) => setTimeout(resolve, 20));
    await this.untilReady();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  order(order: object): void {
    if (this.#child?.connected) this.#child.send(order, () => {});
  }

  /** Asks it to leave; another takes its place meanwhile, as when a new version is rolled out. */
  replace(): void {
    const leaving = this.#child;
    if (leaving === null) return;
    this.#leaving.add(leaving);
    leaving.on("exit", () => this.#leaving.delete(leaving));
    this.#child = null;
    leaving.kill("SIGTERM");
    this.start();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    const children = [...this.#leaving, ...(this.#child === null ? [] : [this.#child])];
    await Promise.all(children.map((child) => endOf(child)));
    await this.proxy?.stop();
  }
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
