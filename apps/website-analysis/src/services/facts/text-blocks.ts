import { type HtmlElement, nodesBelow } from "./html-document.ts";
import { plainLine } from "./plain-text.ts";

/** A piece of text that stands apart from what comes before and after it: a heading, a paragraph, an entry of a list. */
export interface TextBlock {
  readonly kind: "heading" | "item" | "cell" | "quote" | "text";
  /** Of a heading: 1 to 6; otherwise 0. */
  readonly level: number;
  readonly text: string;
  /** Menus, footers and what else surrounds the content. */
  readonly isAround: boolean;
}

const longest = 100_000;
const unseen = new Set("SCRIPT STYLE NOSCRIPT TEMPLATE SVG HEAD IFRAME OBJECT SELECT".split(" "));
// Everything else begins a block, also elements that nobody has heard of: two words that run together spoil more than one that is cut.
const inline = new Set(
  "ABBR B BDI BDO CITE CODE DATA DFN EM FONT I INS KBD MARK Q S SMALL SPAN STRONG SUB SUP TIME U VAR WBR".split(
    " ",
  ),
);
// Apart to the eye, but within one sentence: minified menus have no spaces between them.
const spaced = new Set("A LABEL INPUT IMG".split(" "));
const around = new Set(["NAV", "FOOTER", "ASIDE"]);
const entries = new Set(["LI", "DT", "DD"]);
const cells = new Set(["TD", "TH"]);

/** The text a reader sees, block by block, in the order of the page. */
export function textBlocks(root: HtmlElement): TextBlock[] {
  const blocks: TextBlock[] = [];
  const open: { name: string; depth: number }[] = [];
  let text = "";
  const end = () => {
    const line = plainLine(text, longest);
    text = "";
    if (line !== "") blocks.push({ ...kindOf(open), text: line, isAround: isAround(open) });
  };
  for (const { node, depth } of nodesBelow(root, isUnseen)) {
    while ((open.at(-1)?.depth ?? 0) >= depth) {
      if (spaced.has(open.at(-1)?.name ?? "")) text += " ";
      else end();
      open.pop();
    }
    if (node.nodeType === 3) text += node.textContent ?? "";
    if (node.nodeType !== 1 || isUnseen(node)) continue;
    const name = node.tagName.toUpperCase();
    if (inline.has(name)) continue;
    if (spaced.has(name)) text += " ";
    else end();
    open.push({ name, depth });
  }
  end();
  return blocks;
}

function isUnseen(element: HtmlElement): boolean {
  return unseen.has(element.tagName.toUpperCase());
}

function kindOf(open: readonly { name: string }[]): Pick<TextBlock, "kind" | "level"> {
  // A paragraph in an entry of a list belongs to the entry.
  const names = open.slice(-4).map(({ name }) => name);
  const heading = names.find((name) => /^H[1-6]$/.test(name));
  if (heading !== undefined) return { kind: "heading", level: Number(heading[1]) };
  if (names.some((name) => entries.has(name))) return { kind: "item", level: 0 };
  if (names.includes("BLOCKQUOTE")) return { kind: "quote", level: 0 };
  return { kind: names.some((name) => cells.has(name)) ? "cell" : "text", level: 0 };
}

function isAround(open: readonly { name: string }[]): boolean {
  return open.some(({ name }) => around.has(name));
}
