import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StageContext } from "lockstep";
import type { DocumentOcrPayload } from "../document-ocr-payload.ts";
import type { OcrParts } from "../ocr-parts.ts";
import type { AskOnce } from "../services/reading.ts";
import type { FileStore, StoredFile } from "../store/file-store.ts";
import type { ExtractedDocument } from "./extraction-stage.ts";
import type { ReadDocument } from "./ocr-stage.ts";

/** What a job ends with. */
export interface OcrResult {
  readonly document: ExtractedDocument;
  readonly reading: Omit<ReadDocument, "reading">;
  /** A document without tables has no CSV. */
  readonly files: Readonly<Partial<Record<ResultKind, StoredFile>>>;
  /** The beginning of the text. */
  readonly excerpt: string;
}

export type ResultKind = "pdf" | "text" | "json" | "csv";

const excerptLength = 500;

/** Cleans the text and makes the results of it. */
export function boostStage({ files, pages, reading }: OcrParts) {
  return async ({
    output,
    outputs,
    once,
    signal,
    progress,
    tempFolder,
  }: StageContext<
    DocumentOcrPayload,
    ReadDocument,
    { extraction: ExtractedDocument; ocr: ReadDocument }
  >): Promise<OcrResult> => {
    const document = outputs.extraction;
    const { reading: key, ...figures } = output;
    const read = [...(await pages.pages({ sha256: document.sha256, reading: key })).values()];
    const folder = await tempFolder();
    const file = join(folder, "document.pdf");
    await files.copyTo(document.sha256, file);

    // What a model was paid for is not asked again.
    const askOnce: AskOnce = (page, ask) => once(`boost page ${page}`, ask);
    const boosted = await reading.boost(read, { askOnce, signal });
    progress(50, "text cleaned");
    const { searchablePdf, text, json, csv } = await reading.build({
      pages: read,
      boosted,
      file,
      folder,
      signal,
    });
    progress(80, "searchable PDF made");
    const keep = (name: string, bytes: Uint8Array) => saveResult(files, join(folder, name), bytes);
    return {
      document,
      reading: figures,
      files: {
        pdf: await keep("searchable.pdf", searchablePdf),
        // A document without any text still has a text: an empty line.
        text: await keep("text.txt", Buffer.from(text === "" ? "\n" : text)),
        json: await keep("words.json", Buffer.from(JSON.stringify(json))),
        ...(csv === null ? {} : { csv: await keep("tables.csv", Buffer.from(csv)) }),
      },
      excerpt: text.slice(0, excerptLength),
    };
  };
}

async function saveResult(
  files: Pick<FileStore, "save">,
  path: string,
  bytes: Uint8Array,
): Promise<StoredFile> {
  await writeFile(path, bytes, { flag: "wx", mode: 0o600 });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return await files.save({ path, sha256, sizeBytes: bytes.length }, "result");
}
