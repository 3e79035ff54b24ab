import type { Box } from "../../page-text.ts";
import { missingPage, type PdfDocument } from "./pdf-document.ts";
import { type Pdfium, withMemory } from "./pdfium.ts";

/** A page while it is open. */
export interface PdfPage {
  readonly pdfium: Pdfium;
  readonly handle: number;
  readonly page: number;
  readonly widthPoints: number;
  readonly heightPoints: number;
  /** The quarter turns clockwise that the file gives the page. */
  readonly quarterTurns: number;
}

/** Opens a page (from 1) for the length of a call; two pages are never open at once. */
export function withPage<T>({ pdfium, handle }: PdfDocument, page: number, use: (page: PdfPage) => T): T {
  const pageHandle = pdfium._FPDF_LoadPage(handle, page - 1);
  if (pageHandle === 0) throw missingPage(page);
  try {
    return use({
      pdfium,
      handle: pageHandle,
      page,
      widthPoints: pdfium._FPDF_GetPageWidthF(pageHandle),
      heightPoints: pdfium._FPDF_GetPageHeightF(pageHandle),
      quarterTurns: pdfium._FPDFPage_GetRotation(pageHandle),
    });
  } finally {
    pdfium._FPDF_ClosePage(pageHandle);
  }
}

// PDFium answers in whole pixels, so it is asked about a page drawn this much larger.
const finer = 100;

/** Where a rectangle of the page's own coordinates lies on the page as it is shown. */
export function shownBox(
  { pdfium, handle, widthPoints, heightPoints }: PdfPage,
  corners: { left: number; bottom: number; right: number; top: number },
): Box {
  return withMemory(pdfium, 8, (pointer, view) => {
    const point = (x: number, y: number) => {
      const [width, height] = [Math.round(widthPoints * finer), Math.round(heightPoints * finer)];
      pdfium._FPDF_PageToDevice(handle, 0, 0, width, height, 0, x, y, pointer, pointer + 4);
      return { x: view().getInt32(0, true) / finer, y: view().getInt32(4, true) / finer };
    };
    const [one, other] = [point(corners.left, corners.top), point(corners.right, corners.bottom)];
    return {
      x: Math.min(one.x, other.x),
      y: Math.min(one.y, other.y),
      width: Math.abs(one.x - other.x),
      height: Math.abs(one.y - other.y),
    };
  });
}
