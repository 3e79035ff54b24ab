import { counted } from "../../report/counted.ts";
import { linkedThings } from "../facts/linked-things.ts";
import type { PageFacts } from "../facts/page-facts.ts";
import { isBusiness, type KindId } from "./kinds/site-kinds.ts";
import { evidenceOf, type Statement } from "./statement.ts";

export type StrengthId = "contact" | "address" | "hours" | "prices" | "reviews" | "guarantee" | "trial";
export type WeaknessId = "no-contact" | "thin" | "script-shell" | "parked" | "placeholder";

export const pricePattern =
  "(?:[£$€]\\s?\\d[\\d.,]*|\\d[\\d.,]*\\s?(?:€|EUR|£|\\$|CHF)|(?:CHF|EUR)\\s?\\d[\\d.,]*)";

const mail = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/;
const phone =
  /(?:\+\d|\(?0\d)[\d\s()/.-]{6,16}\d|(?:tel|phone|call|llame|teléfono|reserve|llámanos|telefono|chiami)\D{0,24}(\d[\d\s./-]{6,14}\d)/iu;
const contactLink = /^(?:contact|kontakt|contacto|contatti|nous contacter|impressum)/iu;
const street =
  /\p{Lu}[\p{L}'’.-]+(?: [\p{L}'’.-]+){0,4},? \d{1,4}[a-z]?,\s*\d{5} \p{Lu}\p{L}+|\d{1,4},? (?:rue|avenue|boulevard|place|quai|chemin)[^,]{2,40}, \d{5} \p{Lu}\p{L}+|(?:place|plaza|piazza)[^,]{2,30}, \d{5} \p{Lu}[\p{L}-]+|\d{1,4} \p{Lu}[\p{L}' ]+, [\p{L} ]+ [A-Z]{1,2}\d[\dA-Z]?\s?\d[A-Z]{2}/u;
const weekday =
  /\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)day|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|täglich)|\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)|\b(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)|\b(?:lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica)|\bevery day|\bdaily/iu;
const time = /\b\d{1,2}(?:[:.h]\d{2}|\s?(?:am|pm|uhr|h)\b)|\b\d{1,2} bis \d{1,2} uhr/iu;
const guarantee =
  /\bguarantee|money back|free returns|\b\d+[ -](?:day|month|year) (?:returns?|warranty)|garantie|rückgaberecht|geld zurück|retours gratuits|satisfait ou remboursé|garantía|devoluciones gratuitas|garantit[oi]|garanzia|reso gratuito/iu;
const trial =
  /try (?:it )?(?:for )?free|free trial|kostenlos (?:testen|ausprobieren)|testphase|essai gratuit|prueba gratuita|prueba gratis|primera clase es gratis|prova gratuita/iu;
const quoted = /^[«“"„].{15,}[»”"“]\s*[—–-]\s*\p{Lu}/u;
const parked =
  /domain (?:name )?(?:is|may be) for sale|buy this domain|domain (?:steht zum verkauf|zu verkaufen)|domaine est à vendre|dominio (?:está )?en venta|dominio (?:è )?in vendita/iu;
const placeholder =
  /lorem ipsum|under construction|coming soon|hier entsteht|im aufbau|en construction|bientôt en ligne|en construcción|próximamente|in costruzione|sito in allestimento/iu;
const fewWords = 20;

const texts: Record<StrengthId | WeaknessId, string> = {
  contact: "It says how to reach its people.",
  address: "It gives an address.",
  hours: "It says when it is open.",
  prices: "It names prices.",
  reviews: "It quotes its customers.",
  guarantee: "It promises a guarantee or free returns.",
  trial: "It can be tried for nothing.",
  "no-contact":
    "It sells something, but this page gives no phone number, mail address or link to get in touch.",
  thin: "There is next to no text on it.",
  "script-shell": "Without scripts it is nearly empty, so that many machines see nothing of it.",
  parked: "The domain is parked: there is no site behind it.",
  placeholder: "It has placeholder text, or says that it is not finished.",
};

/** What serves a visitor, quoted. */
export function strengths(facts: PageFacts, kind: KindId | null): Statement<StrengthId>[] {
  const businesses = linkedThings(facts.structuredData.jsonLd).filter((thing) => thing.kind === "business");
  const declared = (id: StrengthId, value: string | null | undefined) =>
    value ? [mark(id, `structured data: ${value}`, "high")] : [];
  const reviews = facts.blocks.find(
    ({ kind, text }) => (kind === "quote" && text.length > 25) || quoted.test(text),
  );
  const found = [
    ...businesses.flatMap((one) => [
      ...declared("contact", one.telephone ?? one.email),
      ...declared("address", one.address),
      ...declared("hours", one.openingHours.join("; ")),
    ]),
    ...shown(facts, "contact", ({ text }) => mail.test(text) || phone.test(text)),
    ...shown(facts, "address", ({ text }) => street.test(text)),
    ...shown(facts, "hours", ({ text }) => weekday.test(text) && time.test(text)),
    // What a charity asks for is no price.
    ...(kind === "charity" ? [] : shown(facts, "prices", ({ text }) => isPriced(text))),
    ...shown(facts, "guarantee", ({ text }) => guarantee.test(text)),
    ...shown(facts, "trial", ({ text }) => trial.test(text)),
    ...(reviews === undefined ? [] : [mark("reviews", reviews.text, "medium")]),
  ];
  // The first of each is the surest.
  return found.filter(({ id }, place) => found.findIndex((other) => other.id === id) === place);
}

/** What stands in a visitor's way. */
export function weaknesses(facts: PageFacts, kind: KindId | null): Statement<WeaknessId>[] {
  const { isScriptShell, wordCounts, blocks, links, title } = facts;
  const told = [title ?? "", ...blocks.map(({ text }) => text)];
  const sale = told.find((text) => parked.test(text));
  if (sale !== undefined) return [mark("parked", sale, "high")];
  const unfinished = told.find((text) => placeholder.test(text));
  if (unfinished !== undefined) return [mark("placeholder", unfinished, "high")];
  const words = `${counted(wordCounts.page, "word")} on the page`;
  if (isScriptShell) return [mark("script-shell", words, "high")];
  if (wordCounts.page < fewWords) return [mark("thin", words, "high")];
  const has = new Set(strengths(facts, kind).map(({ id }) => id));
  const isReachable =
    has.has("contact") || has.has("address") || links.list.some(({ text }) => contactLink.test(text));
  const sells = isBusiness(kind) || (kind === null && has.has("prices"));
  return sells && !isReachable ? [mark("no-contact", words, "medium")] : [];
}

function shown(
  { blocks }: PageFacts,
  id: StrengthId,
  isShown: (block: PageFacts["blocks"][number]) => boolean,
): Statement<StrengthId>[] {
  const found = blocks.filter((block) => block.kind !== "quote" && isShown(block));
  const [first] = found;
  return first === undefined ? [] : [mark(id, first.text, found.length > 1 ? "high" : "medium")];
}

function isPriced(text: string): boolean {
  return new RegExp(pricePattern, "u").test(withoutThresholds(text));
}

/** "Free from 40 €" is the price of nothing. */
function withoutThresholds(text: string): string {
  return text.replace(new RegExp(`(?:ab|dès|desde|sopra i|over|from) ${pricePattern}`, "giu"), (part) =>
    /^from|^desde|^ab/i.test(part) && !/versand|envío|shipping|livraison/i.test(text) ? part : "",
  );
}

function mark<Id extends StrengthId | WeaknessId>(
  id: Id,
  evidence: string,
  confidence: Statement["confidence"],
): Statement<Id> {
  return { id, text: texts[id], evidence: evidenceOf(evidence), confidence };
}
