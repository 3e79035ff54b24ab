import { PermanentError, type StageContext } from "lockstep";
import type { DocumentOcrPayload } from "../document-ocr-payload.ts";
import type { OcrParts } from "../ocr-parts.ts";
import { parseSource } from "../services/document-source.ts";

/** A document that is stored and can be read. */
export interface ExtractedDocument {
  readonly sha256: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly pages: number;
}

/** Gets the document, looks whether it can be read at all, and stores it under the hash of its bytes. */
export function extractionStage({ fetcher, files, reading }: OcrParts) {
  return async ({
    payload,
    signal,
    progress,
    tempFolder,
  }: StageContext<DocumentOcrPayload>): Promise<ExtractedDocument> => {
    const source = parseSource(payload.source);
    if (source === null) throw new PermanentError(`"${payload.source.slice(0, 200)}" names no document.`);
    const document = await fetcher.get(source, await tempFolder(), signal);
    const { sha256, sizeBytes } = document;
    progress(40, `${source.name}: ${sizeBytes.toLocaleString("en")} bytes`);
    const { pages } = await reading.inspect(document.path, signal);
    progress(80, `${pages} ${pages === 1 ? "page" : "pages"}`);
    await files.save(document, "document");
    return { sha256, name: source.name, sizeBytes, pages };
  };
}
