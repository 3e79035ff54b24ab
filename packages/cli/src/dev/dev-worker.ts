import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CliError } from "../errors/cli-error.ts";
import type { EndingSignal, Io } from "../session/io.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** The program of this package, as its manifest names it; the manifest lies at the same place from src and from dist. */
function commandFile(): string {
  const manifest = new URL("../../package.json", import.meta.url);
  const { bin }: { bin: { lockstep: string } } = JSON.parse(readFileSync(manifest, "utf8"));
  return fileURLToPath(new URL(bin.lockstep, manifest));
}

export interface DevWorkerOptions {
  readonly io: Io;
  /** The flags of `lockstep dev-worker`. */
  readonly argv: readonly string[];
  readonly onFile: (path: string) => void;
  readonly onDatabaseDown: () => void;
}

type Answer<Kind extends FromWorker["kind"]> = Extract<FromWorker, { readonly kind: Kind }>;

/** A worker process of `lockstep dev`, with the code as it was when the process was started. */
export class DevWorker {
  /** Its exit code. */
  readonly ended: Promise<number>;
  readonly #child: ChildProcess;
  readonly #answers = new Map<string, FromWorker>();
  readonly #listeners = new Set<() => void>();
  #refusal: CliError | null = null;

  constructor({ io, argv, onFile, onDatabaseDown }: DevWorkerOptions) {
    const child = fork(commandFile(), ["dev-worker", ...argv], {
      cwd: io.cwd,
      env: io.env,
      execArgv: [],
      // Ctrl-C in a terminal goes to a whole group, and this process obeys `lockstep dev`.
      detached: process.platform !== "win32",
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.#child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => void io.stdout.write(text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => void io.stderr.write(text));
    child.on("message", (message) => {
      const told = message as FromWorker;
      if (told.kind === "file") onFile(told.path);
      else if (told.kind === "databaseDown") onDatabaseDown();
      else if (told.kind === "refused") this.#refusal = new CliError(told.error);
      else this.#answers.set(told.kind, told);
      for (const look of this.#listeners) look();
    });
    // Not at its exit: what it said last may still be in the pipes.
    this.ended = once(child, "close").then(([code]) => {
      this.#refusal ??= new CliError({
        exit: "failed",
        code: "worker.ended",
        message: `The worker process ended with ${child.signalCode ?? `exit code ${code}`}.`,
        advice: "Look at what it printed before.",
      });
      for (const look of this.#listeners) look();
      return typeof code === "number" ? code : 1;
    });
  }

  /** The files with pipelines; rejects when they cannot be loaded. */
  async loaded(): Promise<readonly string[]> {
    return (await this.#answer("loaded")).files;
  }

  /** The stages it works on; rejects when the database refuses the pipelines. */
  async start(databaseUrl: string): Promise<Answer<"started">["stages"]> {
    this.#send({ kind: "start", databaseUrl });
    return (await this.#answer("started")).stages;
  }

  /** Lets it finish what it runs and end; resolves when it claims nothing more. */
  async retire(): Promise<void> {
    this.#send({ kind: "retire" });
    // One that has ended claims nothing either.
    await this.#answer("draining").catch(() => {});
  }

  order(signal: EndingSignal): void {
    this.#send({ kind: "order", signal });
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #answer<Kind extends FromWorker["kind"]>(kind: Kind): Promise<Answer<Kind>> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const answer = this.#answers.get(kind);
        if (answer === undefined && this.#refusal === null) return;
        this.#listeners.delete(look);
        if (answer === undefined) reject(this.#refusal);
        else resolve(answer as Answer<Kind>);
      };
      this.#listeners.add(look);
      look();
    });
  }
}
