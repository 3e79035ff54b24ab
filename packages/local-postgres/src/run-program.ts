import { spawn } from "node:child_process";
import { serverEnvironment } from "./server-environment.ts";
import type { ServerUser } from "./server-user.ts";

export interface ProgramResult {
  succeeded: boolean;
  output: string;
}

/** Runs one of PostgreSQL's programs to its end as the server user. A program that cannot start has failed. */
export function runProgram(program: string, args: string[], user: ServerUser): Promise<ProgramResult> {
  return new Promise((resolve) => {
    // The server user may not be allowed to enter the caller's working folder.
    const child = spawn(program, args, {
      ...user,
      cwd: "/",
      env: serverEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    let output = "";
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-8192);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (error) => resolve({ succeeded: false, output: error.message }));
    child.on("close", (code) => resolve({ succeeded: code === 0, output }));
  });
}
