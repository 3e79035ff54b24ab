import { readFile } from "node:fs/promises";
import { cpus } from "node:os";

// Linux reports time in hundredths of a second, whatever its own tick is.
const msPerTick = 10;

/** What these processes and all that they have started and seen end have used; null where the system does not say. */
export async function usedByProcesses(pids: readonly number[]): Promise<number | null> {
  const used = await Promise.all(pids.map(usedBy));
  return used.reduce<number | null>((sum, ms) => (sum === null || ms === null ? null : sum + ms), 0);
}

async function usedBy(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (stat === null) return null;
  // The name in brackets may hold anything, spaces too; the numbers come after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
  return ticks * msPerTick;
}

/** What everybody on this machine has used. */
export function usedByAll(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}
