import type { Job } from "lockstep";
import type { OcrResult, ResultKind } from "../stages/boost-stage.ts";
import type { FileStore } from "../store/file-store.ts";

/** What each result is sent as, and how its file is called. */
export const resultKinds: Readonly<Record<ResultKind, { type: string; ending: string }>> = {
  pdf: { type: "application/pdf", ending: ".searchable.pdf" },
  text: { type: "text/plain; charset=utf-8", ending: ".txt" },
  json: { type: "application/json; charset=utf-8", ending: ".json" },
  csv: { type: "text/csv; charset=utf-8", ending: ".tables.csv" },
};

/** One of the files a job has made, as a download; null: there is none. */
export function resultAnswer(job: Job, kind: string, files: Pick<FileStore, "read">): Response | null {
  const result = job.result as OcrResult | null;
  if (result === null || !Object.hasOwn(resultKinds, kind)) return null;
  const { type, ending } = resultKinds[kind as ResultKind];
  const file = result.files[kind as ResultKind];
  if (file === undefined) return null;
  const { sha256, sizeBytes } = file;
  const name = encodeURIComponent(`${result.document.name.replace(/\.pdf$/i, "")}${ending}`);
  return new Response(ReadableStream.from(files.read(sha256)), {
    headers: {
      "content-type": type,
      "content-length": String(sizeBytes),
      // Made of a stranger's document: it is saved, and never shown as a page of this server.
      "content-disposition": `attachment; filename*=UTF-8''${name}`,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    },
  });
}
