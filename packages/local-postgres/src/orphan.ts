import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "./error-code.ts";
import { liveProcess } from "./live-process.ts";
import { LocalPostgresError } from "./local-postgres-error.ts";

export interface RunningServer {
  pid: number;
  port: number;
  isStopping: boolean;
}

/** The server that runs on this data, whoever started it. */
export function findRunningServer(dataPath: string): RunningServer | undefined {
  const lines = readPidFile(dataPath);
  if (lines === undefined) return undefined;
  const pid = Number(lines[0]);
  if (!isServerOn(dataPath, pid)) {
    // The number may have gone to another program, for one in a container that was started again, and then
    // PostgreSQL would wait for that program to end. Where no such process lives it clears the file itself.
    if (liveProcess(pid) !== undefined) rmSync(join(dataPath, "postmaster.pid"), { force: true });
    return undefined;
  }
  return { pid, port: Number(lines[3]), isStopping: lines[7]?.trim() === "stopping" };
}

/** Stops an orphaned server: first by a normal shutdown, then at once, from which its next start recovers. */
export async function endOrphan(server: RunningServer, dataPath: string): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    signalServer(server.pid, signal);
    for (let waitedMs = 0; waitedMs < 15_000; waitedMs += 20) {
      if (!isServerOn(dataPath, server.pid)) return;
      await sleep(20);
    }
  }
  throw new LocalPostgresError(
    `A PostgreSQL without a launcher, process ${server.pid}, still runs on ${dataPath} and does not stop. End it and start again.`,
  );
}

function signalServer(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended in the meantime, as wanted.
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

function isServerOn(dataPath: string, pid: number): boolean {
  const found = liveProcess(pid);
  if (found === undefined) return false;
  return found.commandLine === "" || found.commandLine.includes(`-D ${dataPath} `);
}

function readPidFile(dataPath: string): string[] | undefined {
  try {
    return readFileSync(join(dataPath, "postmaster.pid"), "utf8").split("\n");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
