import { spawn } from "node:child_process";
import { machineMs } from "../machine/machine-clock.ts";

/** What a new process told: when something happened after its start, when it had ended, and what CPU it had used by then. */
export interface ColdStart {
  readonly reachedMs: number;
  readonly endedMs: number;
  readonly cpuMs: number;
}

const wordOf = { add: "added", work: "handled" } as const;

/** Starts a program of `cold/` as a process of its own, without a loader or a condition of ours, and lets it end by itself. */
export async function coldStart(
  program: string,
  task: "add" | "work",
  url: string,
  limitMs: number,
): Promise<ColdStart> {
  const startedAtMs = machineMs();
  const child = spawn(process.execPath, ["--no-deprecation", program, task, url], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (some: string) => {
    text += some;
  });
  let endedMs = Number.NaN;
  child.on("exit", () => {
    endedMs = machineMs() - startedAtMs;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const reached = numberAfter(wordOf[task], text);
  if (code !== 0 || reached === null) {
    throw new Error(`A process that was to ${task} ended with code ${code} within ${endedMs.toFixed(0)} ms.`);
  }
  return { reachedMs: reached / 1e6 - startedAtMs, endedMs, cpuMs: (numberAfter("cpu", text) ?? 0) / 1_000 };
}

function numberAfter(word: string, text: string): number | null {
  const found = new RegExp(`^${word} (\\d+)$`, "m").exec(text);
  return found === null ? null : Number(found[1]);
}
