import type { Box } from "../../page-text.ts";
import { type PdfPage, shownBox } from "./pdf-page.ts";
import { withMemory } from "./pdfium.ts";

const imageObject = 3;

/** Where pictures lie on a page as it is shown; of a page with very many, the first. */
export function imageAreas(page: PdfPage): Box[] {
  const { pdfium, handle } = page;
  const count = Math.min(1_000, pdfium._FPDFPage_CountObjects(handle));
  return Array.from({ length: Math.max(0, count) }, (_, index) => pdfium._FPDFPage_GetObject(handle, index))
    .filter((object) => pdfium._FPDFPageObj_GetType(object) === imageObject)
    .map((object) =>
      withMemory(pdfium, 16, (pointer, view) => {
        pdfium._FPDFPageObj_GetBounds(object, pointer, pointer + 4, pointer + 8, pointer + 12);
        const [left = 0, bottom = 0, right = 0, top = 0] = [0, 4, 8, 12].map((at) =>
          view().getFloat32(at, true),
        );
        return shownBox(page, { left, bottom, right, top });
      }),
    );
}
