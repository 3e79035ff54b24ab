import { linkedThings } from "../facts/linked-things.ts";
import type { PageFacts } from "../facts/page-facts.ts";
import type { LanguageWords } from "./languages/language-words.ts";
import { pricePattern } from "./page-marks.ts";
import { evidenceOf, type Statement } from "./statement.ts";

const mostWords = 6;
const priceAlone = new RegExp(
  `^(?:\\p{L}{2,4} )?${pricePattern}(?: ?/ ?\\p{L}+)?(?: (?:add to|in den|ajouter|añadir|aggiungi)[^\\d]{3,30})?$`,
  "iu",
);

/** What the page offers, as it says itself: in structured data, beside a price, under a heading for it, or in a plain sentence. */
export function offers(facts: PageFacts, words: LanguageWords | null): Statement[] {
  const products = linkedThings(facts.structuredData.jsonLd)
    .filter(({ kind }) => kind === "product")
    .map(({ name }) => offer(name, "structured data: Product", "high"));
  const said = words === null ? [] : [...underHeadings(facts, words), ...inSentences(facts, words)];
  return joined([...products, ...besidePrices(facts), ...said]);
}

function besidePrices({ blocks }: PageFacts): Statement[] {
  return blocks.flatMap(({ text, isAround }, place) => {
    const before = blocks[place - 1];
    if (isAround || before === undefined || !priceAlone.test(text) || !isName(before.text)) return [];
    return [offer(before.text, `${before.text} ${text}`, before.kind === "text" ? "medium" : "high")];
  });
}

function underHeadings({ blocks }: PageFacts, { offerHeadings }: LanguageWords): Statement[] {
  const isOfferHeading = new RegExp(`^(?:${offerHeadings})$`, "iu");
  const found: Statement[] = [];
  let heading: string | null = null;
  for (const { kind, text, isAround } of blocks) {
    if (kind === "heading") heading = isOfferHeading.test(text.replace(/[:!.]$/, "")) ? text : null;
    else if (heading !== null && !isAround && kind === "item" && isName(text))
      found.push(offer(text, `${heading}: ${text}`, "high"));
  }
  return found;
}

function inSentences({ blocks }: PageFacts, words: LanguageWords): Statement[] {
  const saying = new RegExp(`(?<![\\p{L}])${words.offering} ([^.;:!?()]{3,200})`, "giu");
  return blocks
    .filter(({ kind, isAround }) => kind !== "heading" && kind !== "quote" && !isAround)
    .flatMap(({ text }) =>
      [...text.matchAll(saying)].flatMap(([sentence, object = ""]) =>
        itemsOf(object, words).map((item) => offer(item, sentence, "medium")),
      ),
    );
}

/** "sourdough bread, rye loaves and cardamom buns from …" */
function itemsOf(object: string, { and, articles, not, offerEnd, hasCapitalNouns }: LanguageWords): string[] {
  if (new RegExp(`^(?:${not})(?![\\p{L}])`, "iu").test(object)) return [];
  const parts = object.split(new RegExp(`\\s*,\\s*(?:(?:${and})\\s+)?|\\s+(?:${and})\\s+`, "iu"));
  const article = new RegExp(`^(?:${articles})(?:\\s+|(?<='))`, "iu");
  const end = new RegExp(`(?:^|\\s+)(?:${offerEnd})(?![\\p{L}])`, "iu");
  const items: string[] = [];
  for (const part of parts) {
    const cut = part.search(end);
    const item = (cut < 0 ? part : part.slice(0, cut)).trim().replace(article, "");
    if (!isName(item) || (hasCapitalNouns && !/\p{Lu}/u.test(item))) break;
    items.push(item);
    // After a subordinate part the list has ended, or its parts belong to something else.
    if (cut > 0 && !new RegExp(`^\\s*(?:${offerEnd})\\s`, "iu").test(part.slice(cut))) break;
  }
  return items;
}

function isName(text: string): boolean {
  const words = text.split(/\s+/).filter(Boolean);
  return words.length <= mostWords && /\p{L}{3}/u.test(text) && text.length <= 60 && !/[.!?]$/.test(text);
}

function offer(name: string, evidence: string, confidence: Statement["confidence"]): Statement {
  return { id: name.toLowerCase(), text: name, evidence: evidenceOf(evidence), confidence };
}

/** The same from two places is surer than from either. */
function joined(all: readonly Statement[]): Statement[] {
  const found = new Map<string, Statement>();
  for (const statement of all) {
    const known = found.get(statement.id);
    found.set(statement.id, known === undefined ? statement : { ...known, confidence: "high" });
  }
  return [...found.values()].slice(0, 10);
}
