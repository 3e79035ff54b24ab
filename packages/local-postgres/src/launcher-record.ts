import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { liveProcess } from "./live-process.ts";

/** Notes in a folder which process started its server, so that others know whether anybody looks after it. */
export function recordLauncher(folder: string): void {
  writeFileSync(recordIn(folder), thisProcess());
}

export function forgetLauncher(folder: string): void {
  rmSync(recordIn(folder), { force: true });
}

export function hasLiveLauncher(folder: string): boolean {
  try {
    return isLive(readFileSync(recordIn(folder), "utf8"));
  } catch {
    return false;
  }
}

/** A line that names this process and stays true only while it lives. */
export function thisProcess(): string {
  return `${process.pid} ${liveProcess(process.pid)?.startedAt ?? ""}`;
}

export function isLive(line: string): boolean {
  const [pid, ...startedAt] = line.split(" ");
  return liveProcess(Number(pid))?.startedAt === startedAt.join(" ");
}

function recordIn(folder: string): string {
  return join(folder, "launcher");
}
