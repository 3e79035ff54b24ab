import { access, constants, statfs } from "node:fs/promises";
import { freemem } from "node:os";

const folder = "/dev/shm";
/** The tests fill a fifth of it; the rest is for what else they start. */
const neededBytes = 6 * 1024 ** 3;

/** A file system in memory with room for the test server, where there is one: Linux has it, often a small one in containers. */
export async function folderInMemory(): Promise<string | undefined> {
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    return Math.min(bavail * bsize, freemem()) >= neededBytes ? folder : undefined;
  } catch {
    return undefined;
  }
}
