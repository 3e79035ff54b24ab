import { userInfo } from "node:os";
import { systemClock } from "lockstep/internal";
import { readEnvFile } from "./env-file.ts";
import type { EndingSignal, Io, OutputStream, ParentProcess } from "./io.ts";

/**
 * This process as a command sees it; `release` lets it end though somebody could still type, `flushed` resolves when all that
 * was said has gone out.
 */
export function processIo(): Io & { release(): void; flushed(): Promise<unknown> } {
  // biome-ignore lint/style/noProcessEnv: handed on whole; cli-config.ts says which variables count.
  const env = process.env;
  let isStdinUsed = false;
  const outputClosed = new AbortController();
  // It is normal for a reader to leave: `lockstep jobs tail | head -1`.
  process.stdout.on("error", () => outputClosed.abort());
  process.stderr.on("error", () => {});
  return {
    release() {
      if (isStdinUsed) process.stdin.destroy();
      if (process.connected) process.disconnect();
    },
    flushed: () => Promise.all([process.stdout, process.stderr].map((stream) => streamOf(stream).write(""))),
    get stdin() {
      isStdinUsed = true;
      return process.stdin as unknown as Io["stdin"];
    },
    stdout: streamOf(process.stdout),
    stderr: streamOf(process.stderr),
    env,
    envNote: readEnvFile(process.cwd(), env),
    cwd: process.cwd(),
    get userName() {
      return nameOfUser();
    },
    clock: systemClock,
    outputClosed: outputClosed.signal,
    parent: process.send === undefined ? null : parentProcess(),
    onSignal(listener) {
      const signals: EndingSignal[] = ["SIGINT", "SIGTERM"];
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
  };
}

function parentProcess(): ParentProcess {
  return {
    send(message) {
      // A parent that has gone is told nothing more.
      if (process.connected) process.send?.(message, undefined, undefined, () => {});
    },
    onMessage(listener) {
      process.on("message", listener);
      process.on("disconnect", () => listener(null));
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
      // Some terminals do not know their width and report 0.
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
