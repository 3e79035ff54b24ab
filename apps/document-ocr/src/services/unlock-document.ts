import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Engine, Job } from "lockstep";
import type { DocumentOcrApp } from "../document-ocr-app.ts";
import type { DocumentOcrPayload } from "../document-ocr-payload.ts";
import { UnsafeDocumentError } from "../reading/reading-errors.ts";
import { defaultReadingLimits as limits } from "../reading/reading-limits.ts";
import { runReadingTask } from "../reading/run-reading-task.ts";
import { parseSource } from "./document-source.ts";
import { DocumentTaker } from "./document-taker.ts";
import { withUploadFolder } from "./upload-folder.ts";

/**
 * Opens an upload with its password, stores it without one, and adds a job for that. The password goes to the process that
 * opens the document and nowhere else: it is in no job, no log and no file.
 */
export async function unlockDocument(
  job: Job,
  password: string,
  {
    engine,
    app,
    tempFolder,
    signal,
  }: {
    engine: Pick<Engine, "add">;
    app: Pick<DocumentOcrApp, "files" | "pipeline">;
    tempFolder: string;
    signal: AbortSignal;
  },
): Promise<{ id: string } | { error: string }> {
  const { source, ...rest } = job.payload as DocumentOcrPayload;
  const upload = parseSource(source);
  if (upload?.kind !== "upload")
    return { error: "Only a document that was sent from this page can be opened with a password." };
  try {
    const { sha256 } = await withUploadFolder(tempFolder, async (folder) => {
      const [file, outputFile] = [join(folder, "locked.pdf"), join(folder, "open.pdf")];
      await app.files.copyTo(upload.sha256, file);
      await runReadingTask(
        { task: "unlock", file, password, limits, outputFile },
        { signal, onMessage: () => {} },
      );
      const bytes = await readFile(outputFile);
      return app.files.save(await DocumentTaker.take(folder, (take) => take(bytes)), "document");
    });
    const payload = { ...rest, source: `upload:${sha256}/${upload.name}` };
    const { id } = await engine.add(app.pipeline, payload, { dedupKey: sha256 });
    return { id };
  } catch (error) {
    if (error instanceof UnsafeDocumentError) return { error: error.message };
    throw error;
  }
}
