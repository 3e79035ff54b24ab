import { createHash } from "node:crypto";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface SeenFile {
  readonly name: string;
  /** Another one whenever it is written. While it changes from look to look, somebody is still writing. */
  readonly version: string;
}

/** Looks for PDFs in a folder that are no longer being written, and reports each once. */
export class FolderWatcher {
  readonly #folder: string;
  readonly #onFile: (file: SeenFile) => Promise<void>;
  readonly #told = new Map<string, string>();
  #seen = new Map<string, string>();

  constructor(folder: string, onFile: (file: SeenFile) => Promise<void>) {
    this.#folder = folder;
    this.#onFile = onFile;
  }

  /** One look. Polling, since notices of changes do not come over network drives. */
  async look(): Promise<void> {
    const seen = new Map<string, string>();
    for (const file of await pdfsIn(this.#folder)) {
      const { name, version } = file;
      seen.set(name, version);
      if (this.#told.get(name) === version || this.#seen.get(name) !== version) continue;
      await this.#onFile(file);
      this.#told.set(name, version);
    }
    for (const name of this.#told.keys()) if (!seen.has(name)) this.#told.delete(name);
    this.#seen = seen;
  }
}

async function pdfsIn(folder: string): Promise<SeenFile[]> {
  const names = (await readdir(folder)).filter((name) => /\.pdf$/i.test(name) && !name.startsWith("."));
  const files = await Promise.all(names.map((name) => seenFile(folder, name)));
  return files.filter((file) => file !== null);
}

async function seenFile(folder: string, name: string): Promise<SeenFile | null> {
  const stat = await lstat(join(folder, name)).catch(() => null);
  if (stat === null || !stat.isFile()) return null;
  const version = createHash("sha256").update(`${name}\0${stat.size}\0${stat.mtimeMs}`).digest("hex");
  return { name, version };
}
