import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** The reading process that this one has started, as soon as it is there. */
export async function readingProcess(): Promise<number> {
  for (;;) {
    for (const { pid, parent } of await processes()) {
      if (parent === process.pid && (await commandOf(pid)).includes("reading/child/main.ts")) return pid;
    }
    await sleep(20);
  }
}

/** Who lives in a process group. The kernel buries the dead a little after they are killed. */
export async function groupMembers(group: number): Promise<number[]> {
  for (let tries = 0; ; tries++) {
    const members = (await processes()).filter((one) => one.group === group && one.state !== "Z");
    if (members.length === 0 || tries === 50) return members.map(({ pid }) => pid);
    await sleep(20);
  }
}

async function processes() {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => null)));
  return stats
    .filter((stat) => stat !== null)
    .map((stat) => {
      const [state = "", parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return { pid: Number.parseInt(stat, 10), state, parent: Number(parent), group: Number(group) };
    });
}

function commandOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
}
