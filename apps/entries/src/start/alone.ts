import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const lookEveryMs = 500;

/** Runs when no other process of this machine runs under the same file, which holds the id of the one that does. */
export async function alone<Answer>(file: string, run: () => Promise<Answer>): Promise<Answer> {
  mkdirSync(dirname(file), { recursive: true });
  while (!isTaken(file)) await wait(lookEveryMs);
  try {
    return await run();
  } finally {
    rmSync(file, { force: true });
  }
}

function isTaken(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (!isHolderAlive(file)) rmSync(file, { force: true });
    return false;
  }
}

function isHolderAlive(file: string): boolean {
  try {
    const holder = Number(readFileSync(file, "utf8"));
    // Between its creation and its first byte it belongs to somebody who is about to write it.
    if (holder === 0) return true;
    process.kill(holder, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
