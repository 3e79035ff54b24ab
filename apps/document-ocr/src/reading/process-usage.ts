import { readFile } from "node:fs/promises";

export interface ProcessUsage {
  readonly memoryBytes: number;
  readonly cpuMs: number;
}

// Linux reports time in hundredths of a second, whatever its own tick is.
const msPerTick = 10;

/** What a process uses now, all its threads together; null where the system does not say, or the process is gone. */
export async function processUsage(pid: number): Promise<ProcessUsage | null> {
  try {
    const [status, stat] = await Promise.all([
      readFile(`/proc/${pid}/status`, "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
    ]);
    // The name in brackets may hold anything, spaces too; the numbers come after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    const kib = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
    return { memoryBytes: kib * 1024, cpuMs: ticks * msPerTick };
  } catch {
    return null;
  }
}
