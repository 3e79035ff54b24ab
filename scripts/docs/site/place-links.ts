import { dirname, join } from "node:path/posix";

/** What of a Markdown parser's token is needed here. */
interface Token {
  type: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/**
 * Fits the links of a page, which are those of the repository, to the site. A folder's README.md is its index there. What is
 * not a page, such as source code, is not in the site: its link becomes plain text.
 */
export function placeLinks(tokens: Token[], page: string): void {
  for (const { children } of tokens) {
    const isDropped: boolean[] = [];
    for (const token of children ?? []) {
      if (token.type === "link_open") {
        const placed = placeOf(token.attrGet("href") ?? "", page);
        isDropped.push(placed === null);
        if (placed === null) token.type = "text";
        else token.attrSet("href", placed);
      } else if (token.type === "link_close" && isDropped.pop()) token.type = "text";
    }
  }
}

/** Where a link leads within the site; null where it leads out of it. */
export function placeOf(href: string, page: string): string | null {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  if (join(dirname(page), path).startsWith("../") || !path.endsWith(".md")) return null;
  const placed = path.replace(/(^|\/)README\.md$/, "$1index.md");
  return anchor === undefined ? placed : `${placed}#${anchor}`;
}
