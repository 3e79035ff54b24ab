import type { Engine } from "lockstep";
import type { DocumentOcrApp } from "../document-ocr-app.ts";
import { isLanguage, languages } from "../reading/languages.ts";
import { StoreFullError } from "../store/file-store.ts";
import { safeFileName } from "./document-source.ts";
import { checkSize, DocumentRefusal, DocumentTaker } from "./document-taker.ts";
import { withUploadFolder } from "./upload-folder.ts";

const statusOf = { empty: 422, too_large: 413, not_a_pdf: 415 } as const;

/** Stores what a request carries and adds its job; the same document twice, while the first is under way, is one job. */
export async function takeUpload(
  request: Request,
  {
    engine,
    app,
    tempFolder,
    name,
    language,
  }: {
    engine: Pick<Engine, "add">;
    app: Pick<DocumentOcrApp, "files" | "pipeline">;
    tempFolder: string;
    name: string;
    /** Empty: each page in the language that it turns out to be in. */
    language: string;
  },
): Promise<Response> {
  if (language !== "" && !isLanguage(language))
    return refused(`The language must be one of ${languages.join(", ")}, or none.`, 422);
  try {
    const { sha256 } = await withUploadFolder(tempFolder, async (folder) => {
      const document = await DocumentTaker.take(folder, (take) => takeBody(request, take));
      return await app.files.save(document, "document");
    });
    const source = `upload:${sha256}/${safeFileName(name)}`;
    const payload = isLanguage(language) ? { source, language } : { source };
    const { id, created } = await engine.add(app.pipeline, payload, { dedupKey: `${sha256} ${language}` });
    return Response.json({ id, created }, { status: 201 });
  } catch (error) {
    if (error instanceof DocumentRefusal) return refused(error.message, statusOf[error.reason]);
    if (error instanceof StoreFullError) return refused(error.message, 507);
    throw error;
  }
}

async function takeBody(request: Request, take: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  // A body that announces too large a size is not read at all.
  checkSize(Number(request.headers.get("content-length") ?? 0));
  if (request.body === null) return;
  for await (const chunk of request.body) await take(chunk);
}

function refused(error: string, status: number): Response {
  return Response.json({ error }, { status });
}
