import { Readability } from "@mozilla/readability";
import { type HtmlDocument, nodesBelow, parseHtml } from "./html-document.ts";
import { plainText } from "./plain-text.ts";
import { type TextBlock, textBlocks } from "./text-blocks.ts";

// Readability's work grows with the square of the depth and blocks the whole process: a page of nested boxes could
// stop it for minutes. What people write is far below both.
const deepest = 100;
const mostElements = 10_000;
const mostCharacters = 100_000;
// Shorter finds are captions and notices; then the whole page says more.
const leastCharacters = 200;

/** The text of blocks, a line each. */
export function linesOf(blocks: readonly TextBlock[]): string {
  return plainText(blocks.map(({ text }) => text).join("\n"), mostCharacters);
}

/** What the page is about, without its menus and footers, where that can be told; `whole` is all its text. */
export function mainText(html: string, document: HtmlDocument, whole: string): string {
  if (!isReadable(document)) return whole;
  try {
    // It takes its document apart, so it gets one of its own.
    const article = new Readability(parseHtml(html) as never, { maxElemsToParse: mostElements }).parse();
    // Not its own text, in which the blocks of a page without line breaks run together.
    const body = parseHtml(article?.content ?? "").querySelector("body");
    const text = body === null ? "" : linesOf(textBlocks(body));
    return text.length >= Math.min(leastCharacters, whole.length) ? text : whole;
  } catch {
    return whole;
  }
}

function isReadable(document: HtmlDocument): boolean {
  let elements = 0;
  // Not from the document itself: linkedom's doctype has no next sibling.
  for (const { node, depth } of nodesBelow(document.documentElement ?? document)) {
    if (node.nodeType === 1) elements += 1;
    if (depth > deepest || elements > mostElements) return false;
  }
  return true;
}
