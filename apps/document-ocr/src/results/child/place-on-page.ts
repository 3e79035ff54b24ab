import type { PDFPage } from "@cantoo/pdf-lib";

/** From points of the page as it is shown to the page's own coordinates. */
export function placeOnPage(page: PDFPage): (x: number, y: number) => { x: number; y: number } {
  const { x: left, y: bottom, width, height } = page.getCropBox();
  const quarters = (((page.getRotation().angle / 90) % 4) + 4) % 4;
  switch (quarters) {
    case 1:
      return (x, y) => ({ x: left + y, y: bottom + x });
    case 2:
      return (x, y) => ({ x: left + width - x, y: bottom + y });
    case 3:
      return (x, y) => ({ x: left + width - y, y: bottom + height - x });
    default:
      return (x, y) => ({ x: left + x, y: bottom + height - y });
  }
}
