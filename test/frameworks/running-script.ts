import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** A program as npm would start it, until the test that started it ends, at the latest. */
export class RunningScript {
  readonly #child: ChildProcess;
  output = "";

  constructor(command: string, cwd: string, env: NodeJS.ProcessEnv) {
    // With a process group of its own: Next has a process below the one that is started.
    this.#child = spawn("sh", ["-c", command], {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const closed = once(this.#child, "close");
    onTestFinished(async () => {
      if (this.#child.exitCode === null && this.#child.signalCode === null) this.#killAll();
      await closed;
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.output += chunk.toString("utf8");
        this.#child.emit("said");
      });
    }
  }

  #killAll(): void {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
  }

  /** Until it has printed this. Fails with all it said when it ends first. */
  async until(text: string): Promise<void> {
    while (!this.output.includes(text)) {
      if (this.#child.exitCode !== null) throw new Error(`It ended before "${text}":\n${this.output}`);
      await Promise.race([once(this.#child, "said"), once(this.#child, "close")]);
    }
  }

  /** Ends it as a host does; resolves to how it ended. */
  async stop(): Promise<number | NodeJS.Signals | null> {
    const closed = once(this.#child, "close");
    this.#child.kill("SIGTERM");
    await closed;
    return this.#child.exitCode ?? this.#child.signalCode;
  }
}
