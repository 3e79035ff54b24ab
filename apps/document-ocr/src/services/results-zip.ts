import { downloadZip } from "client-zip";
import type { Job } from "lockstep";
import type { OcrResult, ResultKind } from "../stages/boost-stage.ts";
import type { FileStore } from "../store/file-store.ts";
import { resultKinds } from "./result-answer.ts";

/** The results of all documents that are done, a folder for each, as one file that is made while it is sent. */
export function resultsZip(jobs: readonly Job[], files: Pick<FileStore, "read">): Response {
  const taken = new Set<string>();
  const entries = jobs.flatMap((job) => {
    const result = job.result as OcrResult | null;
    if (result === null) return [];
    const name = result.document.name.replace(/\.pdf$/i, "");
    let folder = name;
    for (let number = 2; taken.has(sameName(folder)); number++) folder = `${name} (${number})`;
    taken.add(sameName(folder));
    return Object.entries(result.files).map(([kind, { sha256 }]) => ({
      name: `${folder}/${name}${resultKinds[kind as ResultKind].ending}`,
      lastModified: job.finishedAt ?? job.addedAt,
      input: ReadableStream.from(files.read(sha256)),
    }));
  });
  return new Response(downloadZip(entries).body, {
    headers: {
      "content-type": "application/zip",
      "content-disposition": 'attachment; filename="documents.zip"',
      "x-content-type-options": "nosniff",
    },
  });
}

/** Where it is unpacked, names that differ only by case, or by how an accent is written, may be one. */
function sameName(name: string): string {
  return name.normalize("NFC").toUpperCase().toLowerCase();
}
