import { PermanentError } from "lockstep";
import type { Page } from "../reading/page.ts";
import { type HtmlDocument, parseHtml } from "./html-document.ts";
import { mainText, visibleText } from "./main-text.ts";
import { nestingOf } from "./nesting-of.ts";
import { type PageLinks, pageLinks } from "./page-links.ts";
import { plainLine } from "./plain-text.ts";
import { type StructuredData, structuredData } from "./structured-data.ts";
import { type TechnologyHint, technologyHints } from "./technology-hints.ts";
import { wordsOf } from "./words-of.ts";

/** What can be said of a page without asking anybody. */
export interface PageFacts {
  readonly title: string | null;
  readonly description: string | null;
  /** As the page declares it, in lower case: "en", "pt-br". */
  readonly language: string | null;
  readonly canonicalUrl: string | null;
  readonly faviconUrl: string | null;
  /** Whether the page asks search engines to leave it out. */
  readonly isHiddenFromSearch: boolean;
  /** Whether a phone is told how wide it is. */
  readonly hasViewport: boolean;
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  readonly mainText: string;
  readonly wordCounts: { readonly page: number; readonly main: number };
  readonly images: { readonly count: number; readonly withoutAlt: number };
  readonly links: PageLinks;
  readonly structuredData: StructuredData;
  readonly technologies: readonly TechnologyHint[];
  /** Whether the page is made by scripts in the browser, so that little of it was there to read. */
  readonly isScriptShell: boolean;
}

const mostHeadings = 200;
// Browsers stop at 512. Building far deeper ones takes the square of their depth, in which nothing else runs.
const deepestNesting = 5_000;
// Below this a page with scripts is taken for their shell.
const fewWords = 30;

export function pageFacts(page: Pick<Page, "url" | "headers" | "html">): PageFacts {
  const nesting = nestingOf(page.html);
  if (nesting > deepestNesting) {
    throw new PermanentError(
      `${page.url} is not analysed: its elements lie ${nesting} deep in each other, more than ${deepestNesting}.`,
    );
  }
  const document = parseHtml(page.html);
  const language = languageOf(document);
  const text = mainText(page.html, document);
  const wordCounts = {
    page: wordsOf(visibleText(document)).length,
    main: wordsOf(text).length,
  };
  const images = [...document.querySelectorAll("img")];
  return {
    title: line(document.querySelector("title")?.textContent, 300),
    description: metaOf(document, "description"),
    language,
    canonicalUrl: linkOf(document, 'link[rel="canonical"]', page.url),
    faviconUrl: linkOf(document, 'link[rel~="icon"]', page.url) ?? new URL("/favicon.ico", page.url).href,
    isHiddenFromSearch: /\bnoindex\b/i.test(metaOf(document, "robots") ?? page.headers["x-robots-tag"] ?? ""),
    hasViewport: metaOf(document, "viewport") !== null,
    headings: [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")]
      .map(({ tagName, textContent }) => ({ level: Number(tagName[1]), text: plainLine(textContent, 300) }))
      .filter((heading) => heading.text !== "")
      .slice(0, mostHeadings),
    mainText: text,
    wordCounts,
    images: {
      count: images.length,
      withoutAlt: images.filter((image) => image.getAttribute("alt") === null).length,
    },
    links: pageLinks(document, page.url),
    structuredData: structuredData(document),
    technologies: technologyHints(page.html, document, page.headers),
    isScriptShell: wordCounts.page < fewWords && document.querySelector("script") !== null,
  };
}

function languageOf(document: HtmlDocument): string | null {
  const declared = document.documentElement?.getAttribute("lang")?.trim().toLowerCase() ?? "";
  return /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/.test(declared) ? declared : null;
}

function metaOf(document: HtmlDocument, name: string): string | null {
  // Names of meta elements are written in any case.
  for (const meta of document.querySelectorAll("meta[name]")) {
    if (meta.getAttribute("name")?.toLowerCase() === name) return line(meta.getAttribute("content"), 1_000);
  }
  return null;
}

function linkOf(document: HtmlDocument, selector: string, base: string): string | null {
  const href = document.querySelector(selector)?.getAttribute("href");
  return href && URL.canParse(href, base) ? new URL(href, base).href.slice(0, 500) : null;
}

function line(text: string | null | undefined, mostCharacters: number): string | null {
  return plainLine(text, mostCharacters) || null;
}
