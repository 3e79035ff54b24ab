import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "./error-code.ts";
import { isLive, thisProcess } from "./launcher-record.ts";
import { LocalPostgresError } from "./local-postgres-error.ts";

/** One starter at a time in a folder: the second one then finds a finished database and a running server. */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock = join(folder, "starting");
  while (!tryLock(lock)) await sleep(20);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function tryLock(lock: string): boolean {
  try {
    writeFileSync(lock, thisProcess(), { flag: "wx" });
    return true;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") {
      throw new LocalPostgresError(
        `The data folder ${dirname(lock)} cannot be written by this user. Choose another one, or remove it as the user who made it.`,
        { cause: error },
      );
    }
  }
  // A starter that was killed leaves its lock. Two that clear it at once may both go on; PostgreSQL's own
  // lock on the data then lets only one of their servers start.
  if (!isHeld(lock)) rmSync(lock, { force: true });
  return false;
}

function isHeld(lock: string): boolean {
  try {
    const holder = readFileSync(lock, "utf8");
    // Empty: its holder is about to write its name.
    return holder === "" || isLive(holder);
  } catch {
    return false;
  }
}
