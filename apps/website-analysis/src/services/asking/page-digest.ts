import type { PageFacts } from "../facts/page-facts.ts";
import type { PagePart } from "./questions.ts";

/** The parts of a page that a prompt may show, as text. The long one comes last: it is the one to be cut. */
export function pageDigest(url: string, facts: PageFacts, parts: readonly PagePart[]): string {
  const written: Record<PagePart, () => string[]> = {
    about: () => [
      `Address: ${url}`,
      `Title: ${facts.title ?? "none"}`,
      `Description: ${facts.description ?? "none"}`,
      `Language: ${facts.language ?? "not declared"}`,
      ...(facts.isScriptShell
        ? ["Note: the page is made by scripts in the browser; what follows is all it holds without them."]
        : []),
    ],
    technology: () => [`Made with: ${facts.technologies.map(({ name }) => name).join(", ") || "unknown"}`],
    search: () => searchLines(facts),
    headings: () => [
      "Headings:",
      ...facts.headings.slice(0, 40).map(({ level, text }) => `${"#".repeat(level)} ${text}`),
    ],
    text: () => ["Text:", facts.mainText],
  };
  const order: PagePart[] = ["about", "technology", "search", "headings", "text"];
  return order
    .filter((part) => parts.includes(part))
    .map((part) => written[part]().join("\n"))
    .join("\n\n");
}

function searchLines(facts: PageFacts): string[] {
  const { links, images, wordCounts, structuredData, canonicalUrl, isHiddenFromSearch } = facts;
  const types = structuredData.jsonLd.flatMap((block) =>
    String((block as { "@type"?: unknown })?.["@type"] ?? []),
  );
  return [
    `Words: ${wordCounts.page} on the page, ${wordCounts.main} in its main text`,
    `Links: ${links.internal} within the site, ${links.external} to others`,
    `Images: ${images.count}, of which ${images.withoutAlt} have no alternative text`,
    `Canonical address: ${canonicalUrl ?? "none"}`,
    `Structured data: ${types.join(", ") || "none"}; Open Graph: ${Object.keys(structuredData.openGraph).join(", ") || "none"}`,
    `Search engines are ${isHiddenFromSearch ? "asked to leave the page out" : "let in"}`,
  ];
}
