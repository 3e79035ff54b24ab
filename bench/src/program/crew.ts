import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { machineMs } from "../machine/machine-clock.ts";
import type { ContenderAddress } from "./contender-address.ts";
import type { CrewWork, FromCrew, ToCrew, Usage } from "./crew-messages.ts";
import type { Mark } from "./timeline.ts";

interface Member {
  readonly process: ChildProcess;
  count: number;
  /** The numbers of stages it was warmed up for. */
  readonly warmFor: Set<number>;
}

/** The worker processes of one contender, kept from run to run of its program. */
export class Crew {
  readonly #address: ContenderAddress;
  #hired: Member[] = [];
  #atWork: Member[] = [];
  #listeners = new Set<(message: FromCrew) => void>();
  /** How many jobs all of them had handled when, since they last began to work. */
  marks: Mark[] = [];
  latenciesMs: number[] = [];

  constructor(address: ContenderAddress) {
    this.#address = address;
  }

  get count(): number {
    return this.marks.at(-1)?.count ?? 0;
  }

  /** Connects this many processes, with this many workers in each. */
  async open(
    processes: number,
    { url, isTuned }: { url: string; isTuned: boolean },
    workers = 1,
  ): Promise<void> {
    const missing = Math.max(0, processes - this.#hired.length);
    await Promise.all(Array.from({ length: missing }, () => this.#hire()));
    this.#atWork = this.#hired.slice(0, processes);
    await this.#tellAll({ kind: "open", url, isTuned, workers });
  }

  /** Whether all that are at work have done this before. */
  isWarmFor(stages: number): boolean {
    return this.#atWork.every(({ warmFor }) => warmFor.has(stages));
  }

  becameWarmFor(stages: number): void {
    for (const { warmFor } of this.#atWork) warmFor.add(stages);
  }

  /** The clock of a measurement starts before this call; its end only says that all look for jobs. */
  async work(work: CrewWork): Promise<void> {
    this.marks = [{ count: 0, atMs: machineMs() }];
    this.latenciesMs = [];
    for (const member of this.#atWork) member.count = 0;
    await this.#tellAll({ kind: "work", work });
  }

  /** False when the time was over before. */
  untilCount(count: number, limitMs: number): Promise<boolean> {
    if (this.count >= count) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
        settle();
      };
      const listener = (message: FromCrew) => {
        if (message.kind === "error") end(() => reject(new Error(message.message)));
        else if (this.count >= count) end(() => resolve(true));
      };
      const timer = setTimeout(() => end(() => resolve(false)), limitMs);
      this.#listeners.add(listener);
    });
  }

  async usage(): Promise<Usage[]> {
    const answers = await this.#askAll({ kind: "usage" }, (message) => message.kind === "usage");
    return answers.flatMap((message) => (message.kind === "usage" ? [message.usage] : []));
  }

  /** Stops working and disconnects; the processes stay for the next run. */
  async close(): Promise<void> {
    await this.rest();
    await this.#tellAll({ kind: "close" });
  }

  /** Stops working; the connections stay. */
  rest(): Promise<void> {
    return this.#tellAll({ kind: "rest" });
  }

  dismiss(): void {
    for (const { process } of this.#hired.splice(0)) process.kill("SIGKILL");
  }

  async #hire(): Promise<void> {
    const program = fileURLToPath(new URL("crew-member.ts", import.meta.url));
    const child = fork(program, [JSON.stringify(this.#address)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const member: Member = { process: child, count: 0, warmFor: new Set() };
    child.on("message", (message: FromCrew) => this.#hear(member, message));
    child.on("exit", (code) => {
      this.#hired = this.#hired.filter((one) => one !== member);
      this.#hear(member, { kind: "error", message: `A worker process ended (${code}).` });
    });
    this.#hired.push(member);
    await this.#answerOf(member, (message) => message.kind === "done" && message.what === "ready");
  }

  #hear(member: Member, message: FromCrew): void {
    if (message.kind === "count") {
      member.count = message.count;
      const count = this.#atWork.reduce((sum, one) => sum + one.count, 0);
      this.marks.push({ count, atMs: message.atMs });
      this.latenciesMs.push(...message.latenciesMs);
    }
    for (const listener of [...this.#listeners]) listener(message);
  }

  async #tellAll(message: ToCrew): Promise<void> {
    await this.#askAll(message, (answer) => answer.kind === "done" && answer.what === message.kind);
  }

  #askAll(message: ToCrew, isAnswer: (answer: FromCrew) => boolean): Promise<FromCrew[]> {
    return Promise.all(
      this.#atWork.map((member) => {
        const answer = this.#answerOf(member, isAnswer);
        member.process.send(message);
        return answer;
      }),
    );
  }

  #answerOf({ process }: Member, isAnswer: (message: FromCrew) => boolean): Promise<FromCrew> {
    return new Promise((resolve, reject) => {
      const listener = (message: FromCrew) => {
        if (message.kind !== "error" && !isAnswer(message)) return;
        process.off("message", listener);
        process.off("exit", ended);
        if (message.kind === "error") reject(new Error(message.message));
        else resolve(message);
      };
      const ended = (code: number | null) => reject(new Error(`A worker process ended (${code}).`));
      process.on("message", listener);
      process.on("exit", ended);
    });
  }
}
