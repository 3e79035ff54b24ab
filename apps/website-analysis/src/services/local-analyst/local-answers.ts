import type { QuestionId } from "../asking/questions.ts";
import type { PageStudy } from "./page-study.ts";

interface LocalAnswer {
  readonly summary: string;
  readonly points: string[];
}

/** How each question is answered from what was counted. */
export const localAnswers: Record<QuestionId, (study: PageStudy) => LocalAnswer> = {
  offer: ({ facts, phrases, summary }) => ({
    summary:
      joined([facts.title, facts.description, ...summary]) || "The page says nothing about what it offers.",
    points: phrases.map(({ phrase }) => phrase),
  }),

  audience: ({ facts, tone }) => {
    const addressed = addressees(facts.mainText);
    const named =
      addressed.length > 0 ? `It names whom it is for: ${addressed.join("; ")}.` : "It names nobody.";
    const speaks =
      tone.addressing > 0
        ? `It speaks to its readers (${tone.addressing} of 100 words address them).`
        : "It does not speak to its readers.";
    return {
      summary: `${named} ${speaks} The language is ${facts.language ?? "not declared"}.`,
      points: addressed,
    };
  },

  tone: ({ tone, readability }) => ({
    summary: `The text is ${formalityOf(tone)}${readability === null ? "" : ` and ${easeOf(readability.readingEase)} to read`}.`,
    points: [
      `${tone.addressing} of 100 words address the reader, ${tone.selfNaming} speak of the site itself.`,
      `${tone.exclaimedShare} % of the sentences exclaim, ${tone.askedShare} % ask.`,
      `${tone.longWordShare} % of the words have more than eight letters.`,
      ...(readability === null
        ? []
        : [
            `Reading ease ${readability.readingEase} of 100, grade level ${readability.gradeLevel}, ${readability.wordsPerSentence} words per sentence.`,
          ]),
    ],
  }),

  strengths: ({ findings, readability }) => {
    const points = findings.filter(({ isGood }) => isGood).map(({ text }) => text);
    if (readability !== null && readability.readingEase >= 60) {
      points.unshift(
        `The text is ${easeOf(readability.readingEase)} to read (${readability.readingEase} of 100).`,
      );
    }
    return { summary: counted(points.length, "strength was", "strengths were"), points };
  },

  weaknesses: ({ findings, readability }) => {
    const points = findings.filter(({ isGood }) => !isGood).map(({ text }) => text);
    if (readability !== null && readability.readingEase < 40) {
      points.unshift(
        `The text is ${easeOf(readability.readingEase)} to read (${readability.readingEase} of 100).`,
      );
    }
    return { summary: counted(points.length, "weakness was", "weaknesses were"), points };
  },

  seo: ({ findings }) => {
    const held = findings.filter(({ isGood }) => isGood).length;
    return {
      summary: `${held} of ${findings.length} checks hold: ${Math.round((100 * held) / Math.max(1, findings.length))} of 100 points.`,
      points: [...findings]
        .sort((a, b) => Number(a.isGood) - Number(b.isGood))
        .map(({ isGood, text }) => `${isGood ? "Good" : "To do"}: ${text}`),
    };
  },

  competitors: ({ phrases, facts }) => ({
    summary:
      phrases.length === 0
        ? "The page has too little text to tell what its competitors would be found by."
        : "Sites that are found by the same words compete with it. These are the words to search for.",
    points: phrases
      .slice(0, 6)
      .map(({ phrase }) => (facts.language?.startsWith("en") ? `best ${phrase}` : phrase)),
  }),
};

const forWhom =
  /\b(?:for|für|pour|para)\s+((?:(?:the|all|small|large|our|your|den|die|das|les|los|las)\s+)?[\p{L}-]{4,}(?:\s+(?:and|und|et|y|&)\s+[\p{L}-]{4,})?)/giu;

function addressees(text: string): string[] {
  const found = new Map<string, number>();
  for (const [, who = ""] of text.matchAll(forWhom)) {
    const key = who.toLowerCase().replace(/\s+/g, " ");
    found.set(key, (found.get(key) ?? 0) + 1);
    if (found.size > 200) break;
  }
  return [...found]
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .slice(0, 6)
    .map(([who]) => who);
}

function formalityOf({ addressing, exclaimedShare, longWordShare }: PageStudy["tone"]): string {
  if (exclaimedShare >= 20) return "pressing";
  if (addressing >= 2) return longWordShare >= 20 ? "personal and technical" : "personal";
  return longWordShare >= 20 ? "technical" : "matter-of-fact";
}

function easeOf(readingEase: number): string {
  if (readingEase >= 70) return "easy";
  if (readingEase >= 50) return "fairly easy";
  return readingEase >= 30 ? "hard" : "very hard";
}

function counted(count: number, one: string, many: string): string {
  if (count === 0) return "None was found among the things that can be counted.";
  return `${count} ${count === 1 ? one : many} found among the things that can be counted.`;
}

function joined(parts: readonly (string | null)[]): string {
  return parts
    .filter((part) => part !== null && part !== "")
    .map((part) => (/[.!?。]$/.test(part ?? "") ? part : `${part}.`))
    .join(" ");
}
