import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "lockstep";

/** Editors and version control write several files, and each in several steps. */
const quietMs = 100;

export interface FileWatchParts {
  readonly clock: Pick<Clock, "sleep">;
  /** Something has happened beside the files, and then nothing for a moment. */
  readonly onQuiet: () => void;
  /** The system cannot watch. */
  readonly onError: (error: Error) => void;
}

/** Looks after files for changes. It watches their folders: many editors replace a file with a new one. */
export class FileWatch {
  readonly #parts: FileWatchParts;
  readonly #watchers = new Map<string, FSWatcher | null>();
  readonly #stamps = new Map<string, string>();
  #waiting: AbortController | null = null;
  #isStopped = false;

  constructor(parts: FileWatchParts) {
    this.#parts = parts;
  }

  /** A file as it is now, from now on. */
  add(path: string): void {
    if (!this.#stamps.has(path)) this.#stamps.set(path, stampOf(path));
    this.addFolder(dirname(path));
  }

  addFolder(folder: string): void {
    if (this.#isStopped || this.#watchers.has(folder)) return;
    this.#watchers.set(folder, null);
    try {
      const watcher = watch(folder, { persistent: false }, () => void this.#hear());
      watcher.on("error", (error) => {
        watcher.close();
        // A folder that was removed may come back.
        this.#watchers.delete(folder);
        this.#parts.onError(error);
      });
      this.#watchers.set(folder, watcher);
    } catch (error) {
      if (error instanceof Error) this.#parts.onError(error);
    }
  }

  /** The files that are not as they were; from now on they count as they are. */
  takeChanged(): string[] {
    const changed: string[] = [];
    for (const [path, stamp] of this.#stamps) {
      const now = stampOf(path);
      if (now === stamp) continue;
      this.#stamps.set(path, now);
      changed.push(path);
    }
    return changed;
  }

  stop(): void {
    this.#isStopped = true;
    this.#waiting?.abort();
    for (const watcher of this.#watchers.values()) watcher?.close();
  }

  async #hear(): Promise<void> {
    this.#waiting?.abort();
    const waiting = new AbortController();
    this.#waiting = waiting;
    await this.#parts.clock.sleep(quietMs, waiting.signal);
    if (!waiting.signal.aborted) this.#parts.onQuiet();
  }
}

function stampOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "missing" : `${found.ino} ${found.size} ${found.mtimeNs}`;
}
