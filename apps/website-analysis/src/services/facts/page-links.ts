import type { HtmlDocument } from "./html-document.ts";
import { linesOf } from "./main-text.ts";
import { plainLine } from "./plain-text.ts";
import { textBlocks } from "./text-blocks.ts";

export interface PageLinks {
  readonly internal: number;
  readonly external: number;
  /** The first of each address, in the order of the page. */
  readonly list: readonly { readonly url: string; readonly text: string; readonly isInternal: boolean }[];
}

const mostListed = 200;
const longestUrl = 500;

/** Where the page leads, by its links for people. */
export function pageLinks(document: HtmlDocument, pageUrl: string): PageLinks {
  const base = baseOf(document, pageUrl);
  const { host } = new URL(pageUrl);
  const found = new Map<string, { url: string; text: string; isInternal: boolean }>();
  for (const anchor of document.querySelectorAll("a[href]")) {
    const url = addressOf(anchor.getAttribute("href") ?? "", base);
    if (url === null || found.has(url.href)) continue;
    found.set(url.href, {
      url: url.href,
      text: plainLine(linesOf(textBlocks(anchor)), 120),
      isInternal: url.host === host,
    });
  }
  const all = [...found.values()];
  const internal = all.filter(({ isInternal }) => isInternal).length;
  return { internal, external: all.length - internal, list: all.slice(0, mostListed) };
}

function baseOf(document: HtmlDocument, pageUrl: string): string {
  const href = document.querySelector("base[href]")?.getAttribute("href");
  if (!href || !URL.canParse(href, pageUrl)) return pageUrl;
  const base = new URL(href, pageUrl).href;
  // It is parsed again with every link: a base of two million characters and a thousand links took half a minute.
  return base.length <= longestUrl ? base : pageUrl;
}

function addressOf(href: string, base: string): URL | null {
  if (!URL.canParse(href, base)) return null;
  const url = new URL(href, base);
  url.hash = "";
  return /^https?:$/.test(url.protocol) && url.href.length <= longestUrl ? url : null;
}
