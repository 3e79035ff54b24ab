import { spawn } from "node:child_process";
import { serverEnvironment } from "./server-environment.ts";
import type { ServerUser } from "./server-user.ts";

/**
 * The caretaker's standard input is a pipe that only this process holds open. When it closes, this process
 * has ended, however it ended; SIGKILL and an unhandled SIGINT leave no other chance to stop the server.
 */
const script = `
read -r never
kill -INT "$1"
tenths=0
while [ -e "$2/postmaster.pid" ] && [ "$tenths" -lt 300 ]; do sleep 0.1; tenths=$((tenths + 1)); done
[ -z "$3" ] || rm -rf "$3"
`;

/** Stops the server when this process ends, and removes a throw-away folder. Returns a way to dismiss it. */
export function appointCaretaker(
  server: { pid: number; dataPath: string; throwAwayFolder?: string | undefined },
  user: ServerUser,
): () => void {
  if (process.platform === "win32") return () => undefined;
  const caretaker = spawn(
    "/bin/sh",
    ["-c", script, "sh", `${server.pid}`, server.dataPath, server.throwAwayFolder ?? ""],
    {
      ...user,
      cwd: "/",
      env: serverEnvironment(),
      stdio: ["pipe", "ignore", "ignore"],
      // Its own session: Ctrl-C in the terminal is for this process alone.
      detached: true,
    },
  );
  // Where there is no shell, the exit listener and the next start's look for orphans remain.
  caretaker.on("error", () => undefined);
  caretaker.stdin.on("error", () => undefined);
  caretaker.unref();
  if ("unref" in caretaker.stdin && typeof caretaker.stdin.unref === "function") caretaker.stdin.unref();
  return () => void caretaker.kill("SIGKILL");
}
