import {
  clip,
  concatTransformationMatrix,
  endPath,
  type PDFPage,
  popGraphicsState,
  pushGraphicsState,
  rectangle,
} from "@cantoo/pdf-lib";
import type { PageText } from "../../reading/page-text.ts";

// Less cannot be seen, and does not part a line in two for those who read along level lines.
const leastDegrees = 0.1;

/**
 * Turns all that a page shows until its lines are level. Programs that take text out of a PDF follow level lines: on a
 * sheet that lies askew they go from the end of one line on to the next. The sheet grows so that no corner is lost.
 */
export function straighten(page: PDFPage, seen: PageText): void {
  if (!mayBeTurned(page, seen)) return;
  const { x, y, width, height } = page.getCropBox();
  const radians = (seen.skewDegrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  const { context } = page.doc;
  const before = context.contentStream([
    pushGraphicsState(),
    concatTransformationMatrix(
      ...[cos, sin, -sin, cos],
      middleX - middleX * cos + middleY * sin,
      middleY - middleX * sin - middleY * cos,
    ),
    // What lies beyond the edge of the sheet shall not come into sight.
    rectangle(x, y, width, height),
    clip(),
    endPath(),
  ]);
  const after = context.contentStream([popGraphicsState()]);
  page.node.wrapContentStreams(context.register(before), context.register(after));
  const [wider, higher] = [width * cos + height * Math.abs(sin), height * cos + width * Math.abs(sin)];
  const box = [middleX - wider / 2, middleY - higher / 2, wider, higher] as const;
  page.setMediaBox(...box);
  page.setCropBox(...box);
}

/** Not where the page holds level text of its own, nor what lies over the page and would stay behind: links, fields, notes. */
function mayBeTurned(page: PDFPage, { skewDegrees, words }: PageText): boolean {
  if (Math.abs(skewDegrees) < leastDegrees) return false;
  return words.every(({ baseline }) => baseline !== undefined) && (page.node.Annots()?.size() ?? 0) === 0;
}
