import type { PageFacts } from "../facts/page-facts.ts";
import type { LanguageWords } from "./languages/language-words.ts";
import { sentencesOf } from "./sentences-of.ts";
import { evidenceOf, type Statement } from "./statement.ts";

export type ToneId = "familiar" | "polite" | "personal" | "we" | "i" | "pressing" | "factual";

const texts: Record<ToneId, string> = {
  familiar: "It speaks to its readers as to friends (du, tu, tú).",
  polite: "It speaks to its readers politely (Sie, vous, usted, Lei).",
  personal: "It speaks to its readers directly (you).",
  we: "It speaks of itself as we.",
  i: "One person tells it (I).",
  pressing: "It is pressing: many of its sentences are exclamations.",
  factual: "It is matter-of-fact: it addresses nobody and exclaims nothing.",
};
const leastSentences = 4;
const leastExclamations = 3;
const surelyOften = 4;

/** How the page speaks, by the words that cannot mean anything else. */
export function toneMarks({ blocks, mainText }: PageFacts, words: LanguageWords): Statement<ToneId>[] {
  const own = blocks.filter(({ kind, isAround }) => kind !== "quote" && kind !== "heading" && !isAround);
  const spoken = own.map(({ text }) => text.replace(/[«“"„][^»”"“]{10,}[»”"“]/gu, " "));
  const sentences = sentencesOf(spoken.join("\n"));
  const used = (["familiar", "polite", "personal", "we", "i"] as const).map((id) => ({
    id,
    ...uses(spoken, words[id]),
  }));
  const isAddressing = used.some(({ count }) => count > 0);
  const said = used
    .filter(({ id, count }) => count >= (id === "i" ? 3 : id === "we" ? 1 : 2))
    // A page that says "du" and "Sie" quotes somebody, or was written by two people.
    .filter(
      ({ id, count }, _place, all) => !all.some((other) => areOpposed(id, other.id) && other.count >= count),
    )
    .map(({ id, count, example }) => mark(id, example, count >= surelyOften ? "high" : "medium"));
  const exclaimed = sentences.filter((sentence) => /!["”»)]?$/u.test(sentence));
  const isPressing = exclaimed.length >= leastExclamations && exclaimed.length * 2 >= sentences.length;
  if (isPressing) return [...said, mark("pressing", exclaimed.slice(0, 2).join(" "), "high")];
  const isFactual =
    !isAddressing && exclaimed.length === 0 && sentences.length >= leastSentences && !/[?!]/.test(mainText);
  return isFactual ? [mark("factual", sentences[0] ?? "", "medium")] : said;
}

function uses(lines: readonly string[], source: string): { count: number; example: string } {
  if (source === "") return { count: 0, example: "" };
  const pattern = new RegExp(`(?<![\\p{L}'’])(?:${source})(?![\\p{L}])`, "gu");
  const counted = lines.map((line) => ({ line, count: [...line.matchAll(pattern)].length }));
  const [most] = counted.toSorted((a, b) => b.count - a.count);
  return { count: counted.reduce((sum, { count }) => sum + count, 0), example: most?.line ?? "" };
}

function areOpposed(one: ToneId, other: ToneId): boolean {
  const pair = [one, other].sort().join();
  return pair === "familiar,polite" || pair === "i,we";
}

function mark(id: ToneId, evidence: string, confidence: Statement["confidence"]): Statement<ToneId> {
  return { id, text: texts[id], evidence: evidenceOf(evidence), confidence };
}
