import type { Box, PageText } from "./page-text.ts";

/** Where a box of the page as it is shown lies once the page is turned until its lines are level. */
export function uprightBox(
  { x, y, width, height }: Box,
  page: Pick<PageText, "rotationDegrees" | "widthPoints" | "heightPoints">,
): Box {
  switch (page.rotationDegrees) {
    case 90:
      return { x: y, y: page.widthPoints - x - width, width: height, height: width };
    case 180:
      return { x: page.widthPoints - x - width, y: page.heightPoints - y - height, width, height };
    case 270:
      return { x: page.heightPoints - y - height, y: x, width: height, height: width };
    default:
      return { x, y, width, height };
  }
}
