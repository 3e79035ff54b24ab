import { Readability } from "@mozilla/readability";
import { type HtmlDocument, type HtmlElement, nodesBelow, parseHtml } from "./html-document.ts";
import { plainText } from "./plain-text.ts";

// Readability's work grows with the square of the depth and blocks the whole process: a page of nested boxes could
// stop it for minutes. What people write is far below both.
const deepest = 100;
const mostElements = 10_000;
const mostCharacters = 100_000;
// Shorter finds are captions and notices; then the whole page says more.
const leastCharacters = 200;

const unseen = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "SVG", "HEAD", "IFRAME", "OBJECT"]);
const inline = new Set(
  "A ABBR B BDI BDO CITE CODE EM FONT I KBD LABEL MARK Q S SMALL SPAN STRONG SUB SUP TIME U VAR".split(" "),
);

/** All text a reader sees, a line per block. */
export function visibleText(document: HtmlDocument): string {
  const root = document.querySelector("body") ?? document;
  const parts: string[] = [];
  for (const { node } of nodesBelow(root, isUnseen)) {
    if (node.nodeType === 3) parts.push(node.textContent ?? "");
    else if (node.nodeType === 1 && !inline.has(node.tagName.toUpperCase())) parts.push("\n");
  }
  return plainText(parts.join(""), mostCharacters);
}

/** What the page is about, without its menus and footers, where that can be told. */
export function mainText(html: string, document: HtmlDocument): string {
  const whole = visibleText(document);
  if (!isReadable(document)) return whole;
  try {
    // It takes its document apart, so it gets one of its own.
    const article = new Readability(parseHtml(html) as never, { maxElemsToParse: mostElements }).parse();
    const text = plainText(article?.textContent, mostCharacters);
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

function isUnseen(element: HtmlElement): boolean {
  return unseen.has(element.tagName.toUpperCase());
}
