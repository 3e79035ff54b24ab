import type { GrayImage } from "../image/gray-image.ts";
import type { PdfPage } from "./pdf-page.ts";
import { withMemory } from "./pdfium.ts";

const grayBitmap = 1;
const white = 0xffffffff;
const withAnnotationsInGray = 0x01 | 0x08;

/** The page as it is shown, annotations included; forms are not run, and so no script is. */
export function drawPage({ pdfium, handle, widthPoints, heightPoints }: PdfPage, dpi: number): GrayImage {
  const width = Math.max(1, Math.round((widthPoints * dpi) / 72));
  const height = Math.max(1, Math.round((heightPoints * dpi) / 72));
  return withMemory(pdfium, width * height, (pointer) => {
    const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, grayBitmap, pointer, width);
    if (bitmap === 0) throw new Error(`PDFium could not allocate a picture of ${width} × ${height}.`);
    try {
      pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
      pdfium._FPDF_RenderPageBitmap(bitmap, handle, 0, 0, width, height, 0, withAnnotationsInGray);
      return { width, height, pixels: pdfium.HEAPU8.slice(pointer, pointer + width * height) };
    } finally {
      pdfium._FPDFBitmap_Destroy(bitmap);
    }
  });
}
