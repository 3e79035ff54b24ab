import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { serverEnvironment } from "./server-environment.ts";
import type { ServerUser } from "./server-user.ts";

export interface ServerProcess {
  pid: number;
  /** Runs when the server has ended, for whatever reason. */
  onEnd(listener: () => void): void;
  interrupt(): void;
  stop(): Promise<void>;
}

export type Launch = { server: ServerProcess } | { server?: never; lastWords: string };

/** Spawns postgres and waits until it accepts connections, or answers with its last words. */
export function launchServer(
  postgres: string,
  options: { dataPath: string; port: number; settings: Record<string, string> },
  user: ServerUser,
): Promise<Launch> {
  const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...options.settings };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(postgres, ["-D", options.dataPath, "-p", `${options.port}`, ...flags], {
    ...user,
    cwd: "/",
    env: serverEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
    windowsHide: true,
    // Its own session: Ctrl-C in a terminal would otherwise stop the database before its users have drained.
    detached: true,
  });

  return new Promise((resolve) => {
    let words = "";
    let isReady = false;
    child.stderr.on("data", (chunk: Buffer) => {
      if (isReady) return; // Still read, or a full pipe would stop the server.
      words = (words + chunk.toString("utf8")).slice(-8192);
      // A standby accepts "read-only connections".
      if (!/ready to accept (read-only )?connections/.test(words)) return;
      isReady = true;
      letGo(child);
      resolve({ server: serverProcess(child) });
    });
    child.on("error", (error) => resolve({ lastWords: error.message }));
    child.on("close", () => resolve({ lastWords: words }));
  });
}

/** A program that forgets stop() must still be able to end. */
function letGo(child: ChildProcess): void {
  child.unref();
  const { stderr } = child;
  if (stderr !== null && "unref" in stderr && typeof stderr.unref === "function") stderr.unref();
}

function serverProcess(child: ChildProcess): ServerProcess {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    onEnd: (listener) => void child.once("exit", listener),
    // SIGINT is PostgreSQL's fast shutdown: sessions are ended, data is written.
    interrupt: () => void child.kill("SIGINT"),
    async stop() {
      if (hasEnded()) return;
      child.ref();
      const ended = once(child, "exit");
      child.kill("SIGINT");
      await ended;
    },
  };
}
