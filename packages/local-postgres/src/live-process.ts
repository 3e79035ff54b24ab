import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export interface LiveProcess {
  /** Tells a process from a later one that was given the same number. */
  startedAt: string;
  /** Empty where the platform does not tell. */
  commandLine: string;
}

/** What runs under this process id now. A process that has ended but was not reaped does not count. */
export function liveProcess(pid: number): LiveProcess | undefined {
  try {
    if (process.platform === "linux") return fromProc(pid);
    if (process.platform === "win32")
      return process.kill(pid, 0) ? { startedAt: "", commandLine: "" } : undefined;
    const line = execFileSync("ps", ["-ww", "-o", "lstart=,command=", "-p", `${pid}`], {
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    }).trim();
    return { startedAt: line.slice(0, 24), commandLine: line.slice(25) };
  } catch {
    return undefined;
  }
}

function fromProc(pid: number): LiveProcess | undefined {
  const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  if (commandLine === "") return undefined;
  // The program's name stands in parentheses and may hold spaces; what follows them is counted from field 3.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return { startedAt: fields[19] ?? "", commandLine };
}
