import { PermanentError } from "lockstep";
import type { Page } from "../reading/page.ts";
import { type HtmlDocument, parseHtml } from "./html-document.ts";
import { linesOf, mainText } from "./main-text.ts";
import { nestingOf } from "./nesting-of.ts";
import { type PageLinks, pageLinks } from "./page-links.ts";
import { plainLine } from "./plain-text.ts";
import { type StructuredData, structuredData } from "./structured-data.ts";
import { type TechnologyHint, technologyHints } from "./technology-hints.ts";
import { type TextBlock, textBlocks } from "./text-blocks.ts";
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
  /** The beginning of its content, block by block: what is a heading, what a list. */
  readonly blocks: readonly TextBlock[];
  readonly wordCounts: { readonly page: number; readonly main: number };
  readonly images: { readonly count: number; readonly withoutAlt: number };
  readonly links: PageLinks;
  readonly structuredData: StructuredData;
  readonly technologies: readonly TechnologyHint[];
  /** Whether the page is made by scripts in the browser, so that little of it was there to read. */
  readonly isScriptShell: boolean;
}

const mostHeadings = 200;
const mostBlocks = 400;
const lastBlocks = 50;
const longestBlock = 600;
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
  const blocks = textBlocks(document.querySelector("body") ?? document);
  const whole = linesOf(blocks);
  const text = mainText(page.html, document, whole);
  const wordCounts = {
    page: wordsOf(whole).length,
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
    headings: headingsOf(document),
    mainText: text,
    blocks: keptBlocks(blocks),
    wordCounts,
    images: {
      count: images.length,
      withoutAlt: images.filter((image) => image.getAttribute("alt") === null).length,
    },
    links: pageLinks(document, page.url),
    structuredData: structuredData(document),
    technologies: technologyHints(page.html, document, page.headers),
    isScriptShell: wordCounts.page < fewWords && hasProgram(document),
  };
}

function headingsOf(document: HtmlDocument): PageFacts["headings"] {
  return [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")]
    .map((heading) => ({
      level: Number(heading.tagName[1]),
      text: plainLine(linesOf(textBlocks(heading)), 300),
    }))
    .filter(({ text }) => text !== "")
    .slice(0, mostHeadings);
}

/** What surrounds the content is kept as well: addresses and opening hours often stand in a footer. */
function keptBlocks(blocks: readonly TextBlock[]): TextBlock[] {
  const shortened = blocks.map((block) => ({
    ...block,
    text: block.text.slice(0, longestBlock).toWellFormed(),
  }));
  if (shortened.length <= mostBlocks) return shortened;
  return [...shortened.slice(0, mostBlocks - lastBlocks), ...shortened.slice(-lastBlocks)];
}

/** Scripts that run: data for search engines stands in script elements too. */
function hasProgram(document: HtmlDocument): boolean {
  return [...document.querySelectorAll("script")].some(
    (script) => !/json|template/i.test(script.getAttribute("type") ?? ""),
  );
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
