import type { HtmlDocument } from "./html-document.ts";
import { plainLine } from "./plain-text.ts";

export interface StructuredData {
  readonly jsonLd: readonly unknown[];
  readonly openGraph: Readonly<Record<string, string>>;
  /** Blocks that are no JSON, or too large or too deep to be kept. */
  readonly unreadableBlocks: number;
}

const mostBlocks = 10;
const mostCharacters = 20_000;
const deepest = 20;

/** JSON-LD and Open Graph, as the page has them. */
export function structuredData(document: HtmlDocument): StructuredData {
  const blocks = [...document.querySelectorAll('script[type="application/ld+json"]')]
    .slice(0, mostBlocks)
    .map(({ textContent }) => jsonOf(textContent ?? ""));
  const jsonLd = blocks.filter((block) => block !== undefined);
  return { jsonLd, openGraph: openGraph(document), unreadableBlocks: blocks.length - jsonLd.length };
}

function jsonOf(text: string): unknown {
  if (text.length > mostCharacters) return undefined;
  try {
    const value: unknown = JSON.parse(text, (_key, part) =>
      typeof part === "string" ? plainLine(part, 2_000) : part,
    );
    return depthOf(value) <= deepest ? value : undefined;
  } catch {
    return undefined;
  }
}

// The size is limited already, so recursion cannot run away.
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function openGraph(document: HtmlDocument): Record<string, string> {
  const found: Record<string, string> = {};
  for (const meta of document.querySelectorAll('meta[property^="og:"]')) {
    const name = plainLine(meta.getAttribute("property"), 60);
    const content = plainLine(meta.getAttribute("content"), 500);
    if (Object.keys(found).length < 40 && content !== "") found[name] ??= content;
  }
  return found;
}
