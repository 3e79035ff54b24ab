import { userInfo } from "node:os";
import { systemClock } from "lockstep";
import type { EndingSignal, Io, OutputStream } from "./io.ts";

/** This process as a command sees it; `release` lets it end though somebody could still type. */
export function processIo(): Io & { release(): void } {
  let isStdinUsed = false;
  const outputClosed = new AbortController();
  // A reader that has gone is no accident: `lockstep jobs tail | head -1`.
  process.stdout.on("error", () => outputClosed.abort());
  process.stderr.on("error", () => {});
  return {
    release() {
      if (isStdinUsed) process.stdin.destroy();
    },
    get stdin() {
      isStdinUsed = true;
      return process.stdin as unknown as Io["stdin"];
    },
    stdout: streamOf(process.stdout),
    stderr: streamOf(process.stderr),
    // biome-ignore lint/style/noProcessEnv: handed on whole; cli-config.ts says which variables count.
    env: process.env,
    cwd: process.cwd(),
    get userName() {
      return nameOfUser();
    },
    clock: systemClock,
    outputClosed: outputClosed.signal,
    onSignal(listener) {
      const signals: EndingSignal[] = ["SIGINT", "SIGTERM"];
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
  };
}

function streamOf(stream: NodeJS.WriteStream): OutputStream {
  return {
    write: (text) => new Promise((resolve) => stream.write(text, () => resolve())),
    get isTTY() {
      return stream.isTTY === true;
    },
    get columns() {
      // Some terminals do not know, and say 0.
      return stream.columns || undefined;
    },
  };
}

/** A container may run as a number that has no name. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
