import { readFile } from "node:fs/promises";
import type { ReadingLimits } from "../../reading-limits.ts";
import { Refusal } from "../refusal.ts";
import { checkPdfFile } from "./check-pdf-file.ts";
import { loadPdfium, type Pdfium, withMemory } from "./pdfium.ts";

const passwordError = 4;
const securityError = 5;

/** A document that PDFium has opened. It stays open as long as the process lives. */
export interface PdfDocument {
  readonly pdfium: Pdfium;
  readonly handle: number;
  readonly pageCount: number;
}

/** Opens a document, or says why it is refused. */
export async function openPdf(file: string, limits: ReadingLimits): Promise<PdfDocument> {
  const bytes = await readFile(file);
  checkPdfFile(bytes, limits);
  const pdfium = await loadPdfium();
  // PDFium reads from this memory as long as the document is open.
  const pointer = pdfium.wasmExports.malloc(bytes.length);
  if (pointer === 0) throw new Error("PDFium is out of memory: the file did not fit.");
  pdfium.HEAPU8.set(bytes, pointer);
  const handle = pdfium._FPDF_LoadMemDocument(pointer, bytes.length, 0);
  if (handle === 0) throw refusalOf(pdfium._FPDF_GetLastError());
  if (pdfium._FPDF_GetSecurityHandlerRevision(handle) >= 0) throw encrypted();
  const pageCount = pdfium._FPDF_GetPageCount(handle);
  checkPages({ pdfium, handle, pageCount }, limits);
  return { pdfium, handle, pageCount };
}

function refusalOf(error: number): Refusal {
  if (error === passwordError || error === securityError) return encrypted();
  return new Refusal(
    "damaged",
    "The PDF is damaged: its table of objects cannot be read. Print or save it to a new PDF and add it again.",
  );
}

function encrypted(): Refusal {
  return new Refusal(
    "encrypted",
    "The PDF is encrypted. Save it without a password or restrictions and add it again.",
  );
}

function checkPages({ pdfium, handle, pageCount }: PdfDocument, limits: ReadingLimits): void {
  const { dpi, mostPages, mostPagePixels, mostDocumentPixels } = limits;
  if (pageCount <= 0) {
    throw new Refusal("no_pages", "The PDF has no pages. Check how it was made and add it again.");
  }
  if (pageCount > mostPages) {
    throw new Refusal(
      "too_many_pages",
      `The PDF has ${pageCount} pages, and ${mostPages} is the most. Split it and add the parts.`,
    );
  }
  let documentPixels = 0;
  for (let index = 0; index < pageCount; index++) {
    const { widthPoints, heightPoints } = pageSize(pdfium, handle, index);
    const pixels = Math.ceil((widthPoints * dpi) / 72) * Math.ceil((heightPoints * dpi) / 72);
    if (pixels > mostPagePixels) {
      throw new Refusal(
        "page_too_large",
        `Page ${index + 1} has ${megapixels(pixels)} megapixels at ${dpi} dpi, and ${megapixels(mostPagePixels)} is the most. Scale the page down and add the document again.`,
      );
    }
    documentPixels += pixels;
  }
  if (documentPixels > mostDocumentPixels) {
    throw new Refusal(
      "document_too_large",
      `The pages have ${megapixels(documentPixels)} megapixels together at ${dpi} dpi, and ${megapixels(mostDocumentPixels)} is the most. Split the document and add the parts.`,
    );
  }
}

function pageSize(pdfium: Pdfium, handle: number, index: number) {
  return withMemory(pdfium, 8, (pointer, view) => {
    if (pdfium._FPDF_GetPageSizeByIndexF(handle, index, pointer) === 0) throw missingPage(index + 1);
    return { widthPoints: view().getFloat32(0, true), heightPoints: view().getFloat32(4, true) };
  });
}

export function missingPage(page: number): Refusal {
  return new Refusal(
    "damaged",
    `Page ${page} of the PDF is damaged and cannot be opened. Print or save the document to a new PDF and add it again.`,
  );
}

function megapixels(pixels: number): number {
  return Math.round(pixels / 1_000_000);
}
