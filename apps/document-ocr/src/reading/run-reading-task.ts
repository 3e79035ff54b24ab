import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ReadingMessage, ReadingTask } from "./child-protocol.ts";
import { confinedCommand, confinedEnvironment } from "./confined-command.ts";
import { saysOutOfMemory } from "./memory-words.ts";
import { memoryBreach, PageBudget } from "./page-budget.ts";
import { processUsage } from "./process-usage.ts";
import { ReadingCrashError, UnsafeDocumentError } from "./reading-errors.ts";

const lookEveryMs = 100;
const keptErrorCharacters = 4_000;
const shownErrorCharacters = 1_000;

/**
 * Does one task in a process of its own, which no document can take down with more than itself: it has no network, no
 * secrets, and is killed with all it started when it passes a limit or the signal aborts. Resolves when it is gone.
 */
export async function runReadingTask(
  task: ReadingTask,
  { onMessage, signal }: { onMessage(message: ReadingMessage): void; signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  const child = await startChild(task);
  const budget = new PageBudget(task.limits, performance.now());
  let ending: ReadingMessage | undefined;
  let stopReason: unknown;
  const stop = (reason: unknown) => {
    stopReason ??= reason;
    killGroup(child);
  };
  const onAbort = () => stop(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const watch = setInterval(async () => {
    const usage = child.pid === undefined ? null : await processUsage(child.pid);
    const breach = ending === undefined ? budget.breach(usage, performance.now()) : null;
    if (breach !== null) stop(breach);
  }, lookEveryMs);

  child.on("message", (message: ReadingMessage) => {
    if (message.kind === "page-started") budget.started(message.page, performance.now());
    if (message.kind === "page") budget.ended(message.page.page);
    if (message.kind === "done" || message.kind === "refused" || message.kind === "failed") ending = message;
    else if (stopReason === undefined) {
      try {
        onMessage(message);
      } catch (error) {
        stop(error);
      }
    }
  });
  const lastWords = lastWordsOf(child);
  try {
    child.send(task, (error) => error !== null && stop(error));
    const ended = await exitOf(child);
    if (stopReason !== undefined) throw stopReason;
    throwUnlessDone(ending, { ...ended, lastWords: lastWords() }, task);
  } finally {
    clearInterval(watch);
    signal.removeEventListener("abort", onAbort);
    killGroup(child);
  }
}

async function startChild(task: ReadingTask): Promise<ChildProcess> {
  const { command, args } = await confinedCommand(
    [
      process.execPath,
      "--max-old-space-size=256",
      // One core for each worker: V8's own threads would take a tenth more of the processors' time, from the other workers.
      "--single-threaded",
      "--import",
      new URL("./child/no-network.js", import.meta.url).href,
      "--import",
      import.meta.resolve("tsx"),
      fileURLToPath(new URL("./child/main.ts", import.meta.url)),
    ],
    task.limits,
    threadsOf(task),
  );
  return spawn(command, args, {
    cwd: "/",
    env: confinedEnvironment,
    // A group of its own, to be killed as one.
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}

/** Its own, that of tsx, and one for each page that is read at once, which may be followed by the next before it has ended. */
function threadsOf(task: ReadingTask): number {
  return 2 + (task.task === "read" ? 2 * task.pagesAtOnce : 0);
}

function throwUnlessDone(
  ending: ReadingMessage | undefined,
  { how, lastWords }: { how: string; lastWords: string },
  { limits }: ReadingTask,
): void {
  if (ending?.kind === "done") return;
  if (ending?.kind === "refused") throw new UnsafeDocumentError(ending.code, ending.message);
  const said = ending?.kind === "failed" ? ending.message : lastWords;
  const shown = said.slice(0, shownErrorCharacters) || "it said nothing";
  const crash = new ReadingCrashError(`The reading process ended with ${how}: ${shown}`);
  if (saysOutOfMemory(said)) throw memoryBreach(limits.memoryBytes, crash);
  throw crash;
}

/** The beginning of them: Node says the reason first, and then the whole stack. */
function lastWordsOf(child: ChildProcess): () => string {
  let words = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    words = (words + text).slice(0, keptErrorCharacters);
  });
  return () => words.trim();
}

function exitOf(child: ChildProcess): Promise<{ how: string }> {
  return new Promise((resolve, reject) => {
    child.on("error", (cause) =>
      reject(new ReadingCrashError("The reading process could not be started.", { cause })),
    );
    child.on("close", (code, signal) => resolve({ how: signal ?? `exit code ${code}` }));
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Everyone in it is gone already.
  }
}
