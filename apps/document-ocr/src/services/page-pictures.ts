import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { defaultReadingLimits as limits } from "../reading/reading-limits.ts";
import { runReadingTask } from "../reading/run-reading-task.ts";
import type { FileStore } from "../store/file-store.ts";
import { withUploadFolder } from "./upload-folder.ts";

const dpi = 100;

/** Pictures of pages to look at, drawn when they are asked for: one after the other, each in a process of its own. */
export class PagePictures {
  readonly #files: Pick<FileStore, "copyTo">;
  readonly #tempFolder: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(files: Pick<FileStore, "copyTo">, tempFolder: string) {
    this.#files = files;
    this.#tempFolder = tempFolder;
  }

  /** As PNG. */
  draw(sha256: string, page: number, signal: AbortSignal): Promise<Buffer> {
    const drawn = this.#last.then(() => this.#draw(sha256, page, signal));
    this.#last = drawn.catch(() => {});
    return drawn;
  }

  #draw(sha256: string, page: number, signal: AbortSignal): Promise<Buffer> {
    signal.throwIfAborted();
    return withUploadFolder(this.#tempFolder, async (folder) => {
      const [file, outputFile] = [join(folder, "document.pdf"), join(folder, "page.png")];
      await this.#files.copyTo(sha256, file);
      await runReadingTask(
        { task: "draw", file, page, dpi, limits, outputFile },
        { signal, onMessage: () => {} },
      );
      return await readFile(outputFile);
    });
  }
}
