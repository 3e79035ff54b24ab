import type { Box, PageText } from "../reading/page-text.ts";
import { uprightBox } from "../reading/upright-box.ts";

export interface LineWord {
  /** The place of the word among those of its page, from 0. */
  readonly index: number;
  readonly text: string;
  readonly confidence: number;
  /** On the page turned upright. */
  readonly box: Box;
}

export type Line = readonly LineWord[];

/** The words of a page in the lines they were read in. The text has them line by line, in the order of the words. */
export function pageLines(page: PageText): Line[] {
  let index = 0;
  const lines: Line[] = [];
  for (const line of page.text.split("\n")) {
    const count = line.split(" ").filter((word) => word !== "").length;
    const words = page.words.slice(index, index + count);
    if (words.length > 0) {
      const from = index;
      lines.push(
        words.map(({ text, confidence, box }, at) => ({
          index: from + at,
          text,
          confidence,
          box: uprightBox(box, page),
        })),
      );
    }
    index += count;
  }
  return lines;
}
