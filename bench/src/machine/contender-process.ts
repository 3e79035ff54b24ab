import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ContenderAddress } from "../program/contender-address.ts";
import type { ProgramAnswer, ProgramQuestion } from "../program/program.ts";
import type { BenchNode } from "./bench-node.ts";

/** A contender's own process, with its worker processes; it is started by the first question. */
export class ContenderProcess {
  readonly #node: BenchNode;
  readonly #program: string;
  readonly #address: ContenderAddress;
  #child: ChildProcess | null = null;
  #complaints = "";

  /** From the code of a checkout of this repository. */
  constructor(node: BenchNode, checkout: string, address: ContenderAddress) {
    this.#node = node;
    this.#program = join(checkout, "bench/src/program/program.ts");
    this.#address = address;
  }

  /** One question at a time. A process that does not answer in time is ended, and the next question starts another. */
  async ask(question: ProgramQuestion, limitMs: number): Promise<ProgramAnswer> {
    this.#child ??= this.#start();
    const child = this.#child;
    const answer = await new Promise<ProgramAnswer>((resolve) => {
      const timer = setTimeout(
        () => end({ error: `did not end within ${(limitMs / 1_000).toFixed(1)} s` }),
        limitMs,
      );
      const end = (given: ProgramAnswer) => {
        clearTimeout(timer);
        child.off("answer", end);
        child.off("close", closed);
        resolve(given);
      };
      const closed = (code: number | null) =>
        end({ error: `its process ended with code ${code}: ${this.#complaints}` });
      child.on("answer", end);
      child.on("close", closed);
      child.stdin?.write(`${JSON.stringify(question)}\n`);
    });
    if ("error" in answer) this.#end(child);
    if (this.#complaints !== "")
      process.stderr.write(`${this.#address.module} says: ${this.#complaints.trim()}\n`);
    this.#complaints = "";
    return answer;
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.stdin?.end();
    await closed;
  }

  #start(): ChildProcess {
    const child = spawn(this.#node.path, [...this.#node.args, this.#program, JSON.stringify(this.#address)], {
      // With its worker processes a group, so that all of them can be ended; it ends by itself when its input does.
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.on("error", () => {});
    child.on("close", () => {
      if (this.#child === child) this.#child = null;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#complaints = (this.#complaints + text).slice(0, 500);
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      // Some peers print lines of their own.
      if (line.startsWith('{"numbers"') || line.startsWith('{"error"'))
        child.emit("answer", JSON.parse(line));
    });
    return child;
  }

  #end(child: ChildProcess): void {
    this.#child = null;
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // All of it has ended by itself.
    }
  }
}
