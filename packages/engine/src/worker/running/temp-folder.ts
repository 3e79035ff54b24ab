import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";

// A folder may be shared by hosts or containers, where the same process id means another process.
const host = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
const ownFolder = `lockstep-${process.pid}-${host}-`;
const leftoverName = new RegExp(`^lockstep-([1-9][0-9]{0,9})-${host}-[A-Za-z0-9]{6}$`);
const removal = { recursive: true, force: true, maxRetries: 3 } as const;

/** A fresh folder for each attempt, under one folder of this process that goes when the engine stops. */
export class TempFolders {
  readonly #root: string;
  #base: Promise<string> | null = null;

  constructor(root: string | null) {
    this.#root = root ?? tmpdir();
  }

  /** Readable for this user alone; the real path, whatever links lead there. */
  async create(jobId: string, attempt: number): Promise<string> {
    const name = `${jobId.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64)}-${attempt}-`;
    try {
      return await mkdtemp(join(await this.#ownBase(), name));
    } catch (error) {
      // Cleaners of temporary folders take away what looks old.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      this.#base = null;
      return await mkdtemp(join(await this.#ownBase(), name));
    }
  }

  /** Never rejects. What cannot be removed now, because a handler still writes there, is removed with the rest. */
  async remove(path: string): Promise<void> {
    const base = await this.#base?.catch(() => null);
    // Only what create() made.
    if (base === null || base === undefined || dirname(path) !== base) return;
    await rm(path, removal).catch(() => {});
  }

  async removeAll(): Promise<void> {
    const base = await this.#base?.catch(() => null);
    this.#base = null;
    if (base !== null && base !== undefined) await rm(base, removal).catch(() => {});
  }

  #ownBase(): Promise<string> {
    this.#base ??= this.#makeBase().catch((error: unknown) => {
      this.#base = null;
      throw error;
    });
    return this.#base;
  }

  async #makeBase(): Promise<string> {
    await mkdir(this.#root, { recursive: true });
    const root = await realpath(this.#root);
    await removeLeftovers(root);
    return await mkdtemp(join(root, ownFolder));
  }
}

/** Folders that killed processes left behind. */
async function removeLeftovers(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  for (const name of names) {
    const pid = leftoverName.exec(name)?.[1];
    if (pid === undefined) continue;
    const path = join(root, name);
    if (await isLeftover(path, Number(pid))) await rm(path, removal).catch(() => {});
  }
}

async function isLeftover(path: string, pid: number): Promise<boolean> {
  const folder = await lstat(path).catch(() => null);
  // In a folder that all may write to, a link or another user's folder may bear any name.
  if (folder === null || !folder.isDirectory() || folder.uid !== process.getuid?.()) return false;
  // In a container every start has the same process id.
  if (pid === process.pid) return folder.mtimeMs < performance.timeOrigin - 1_000;
  return !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
