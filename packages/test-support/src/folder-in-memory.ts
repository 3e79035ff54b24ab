import { statfs } from "node:fs/promises";
import { freemem } from "node:os";

const folder = "/dev/shm";
/** The tests fill about a third of it. */
const neededBytes = 8 * 1024 ** 3;

/** A file system in memory with room for the test server, where there is one: Linux has it, often a small one in containers. */
export async function folderInMemory(): Promise<string | undefined> {
  const free = await statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return Math.min(free, freemem()) >= neededBytes ? folder : undefined;
}
