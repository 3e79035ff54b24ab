import { linkedTypes } from "../facts/linked-things.ts";
import type { PageFacts } from "../facts/page-facts.ts";
import { type KindId, kindOfType, siteKinds } from "./kinds/site-kinds.ts";
import type { LanguageWords } from "./languages/language-words.ts";
import { evidenceOf, type Statement } from "./statement.ts";

export interface SiteKind extends Statement<KindId> {
  /** What the page calls it in its own language, for a search; null if only its structured data says what it is. */
  readonly word: string | null;
}

const mostWordsBefore = 4;

/** What the site is, where it says so: in its structured data, in a name, or in a sentence "… is a …". */
export function siteKind(facts: PageFacts, words: LanguageWords | null): SiteKind | null {
  const named = words === null ? [] : namings(facts, words);
  const declared = linkedTypes(facts.structuredData.jsonLd).find((type) => Object.hasOwn(kindOfType, type));
  const declaredKind = declared === undefined ? undefined : kindOfType[declared];
  if (declaredKind !== undefined) {
    const word = named.find(({ kind }) => kind === declaredKind)?.word ?? null;
    return kindStatement(declaredKind, `structured data: ${declared}`, "high", word);
  }
  const [first] = named;
  if (first === undefined) return null;
  const agreeing = named.filter(({ kind }) => kind === first.kind);
  // Two places that disagree are no evidence of either.
  if (agreeing.length * 2 <= named.length) return null;
  const places = new Set(agreeing.map(({ place }) => place));
  return kindStatement(first.kind, first.text, places.size > 1 ? "high" : "medium", first.word);
}

function kindStatement(
  id: KindId,
  evidence: string,
  confidence: Statement["confidence"],
  word: string | null,
): SiteKind {
  return { id, text: siteKinds[id], evidence: evidenceOf(evidence), confidence, word };
}

interface Naming {
  readonly kind: KindId;
  readonly word: string;
  readonly text: string;
  readonly place: "title" | "heading" | "description" | "text";
}

function namings({ title, headings, description, blocks }: PageFacts, words: LanguageWords): Naming[] {
  const found: Naming[] = [];
  const look = (text: string | null, place: Naming["place"]) => {
    for (const segment of (text ?? "").split(/\s+[–—|:·-]\s+|[|:,–—·(]\s*/u)) {
      const naming = namingIn(segment, words);
      if (naming !== null) found.push({ ...naming, text: text ?? "", place });
    }
  };
  look(title, "title");
  look(headings.find(({ level }) => level === 1)?.text ?? null, "heading");
  look(description, "description");
  for (const { text, kind } of blocks.slice(0, 30)) {
    const naming = kind === "text" ? definitionIn(text, words) : null;
    if (naming !== null) found.push({ ...naming, text, place: "text" });
  }
  return found;
}

/** "Plumber in Bristol", "Trattoria da Nives": a name, not a sentence about somebody else's plumber. */
function namingIn(segment: string, words: LanguageWords): Pick<Naming, "kind" | "word"> | null {
  // "software for dentists" is no dentist.
  const [head = ""] = segment.split(new RegExp(`\\s(?:${words.forWhom})\\s`, "iu"));
  const candidates = Object.entries(words.kinds).flatMap(([kind, source]) => {
    const match = new RegExp(`(?<![\\p{L}-])(?:${source})(?![\\p{L}-])`, "iu").exec(head);
    return match === null ? [] : [{ kind: kind as KindId, word: match[0], index: match.index }];
  });
  const [first] = candidates.sort((a, b) => a.index - b.index || b.word.length - a.word.length);
  if (first === undefined) return null;
  const before = head.slice(0, first.index).split(/\s+/).filter(Boolean);
  const after = head.slice(first.index + first.word.length).trim();
  const isName = before.every(
    (word) =>
      /^[\p{Lu}\d&]/u.test(word) ||
      new RegExp(`^(?:${words.beforeKind})$`, "iu").test(word) ||
      isAdjective(word, words),
  );
  if (before.length > mostWordsBefore || !isName) return null;
  // In English what follows a noun says what it really is: "restaurant guide".
  const isHead =
    after === "" ||
    !/^[\p{Ll}]/u.test(after) ||
    /^(?:in|of|at|about|near|with|and|by|from|that|who)\b/u.test(after);
  return words.personal !== "" && !isHead ? null : { kind: first.kind, word: first.word };
}

/** In a description of a few words before the noun, "a small bakery": anything that is no small word. */
function isAdjective(word: string, { articles, inPlace, forWhom }: LanguageWords): boolean {
  return word.length > 3 && !new RegExp(`^(?:${articles}|${inPlace}|${forWhom})$`, "iu").test(word);
}

/** "Open Door is a charity". */
function definitionIn(text: string, words: LanguageWords): Pick<Naming, "kind" | "word"> | null {
  const match = new RegExp(`^\\p{Lu}[^.!?]{1,60}? (?:${words.isA}) ([^.!?]{3,80})`, "u").exec(text);
  return match === null ? null : namingIn(match[1] ?? "", words);
}
