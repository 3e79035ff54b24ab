import type { AnalysisAnswer, AnswerPoint } from "../asking/analysis-answer.ts";
import type { QuestionId } from "../asking/questions.ts";
import type { PageStudy } from "./page-study.ts";
import { sentencesOf } from "./sentences-of.ts";
import type { SeoFinding } from "./seo-findings.ts";
import type { Statement } from "./statement.ts";

/** How each question is answered from what can be shown. */
export const localAnswers: Record<QuestionId, (study: PageStudy) => AnalysisAnswer> = {
  offer: (study) => {
    const points = study.offers.map(pointOf);
    const surest = study.kind === null ? points : [pointOf(study.kind), ...points];
    const named = points.length === 0 ? "It does not say in a list or a plain sentence what it offers." : "";
    return { summary: paragraph([summaryOf(study), named]), points, confidence: weakest(surest) };
  },

  audience: ({ audience }) =>
    stated(audience, "The page does not say for whom it is.", (names) => `It says that it is for ${names}.`),

  tone: ({ tone }) =>
    stated(tone, "The page has too little text to tell its tone.", () =>
      tone.map(({ text }) => text).join(" "),
    ),

  strengths: ({ strengths }) =>
    stated(strengths, "Nothing that serves a visitor was found on it.", () =>
      strengths.map(({ text }) => text).join(" "),
    ),

  weaknesses: ({ weaknesses, findings }) => {
    const inTheWay = findings.filter(({ isGood, isForPeople }) => !isGood && isForPeople).map(findingPoint);
    const points = [...weaknesses.map(pointOf), ...inTheWay];
    const summary =
      points.length === 0
        ? "Nothing that stands in a visitor's way was found."
        : `${points.length} ${points.length === 1 ? "thing stands" : "things stand"} in a visitor's way.`;
    return { summary, points, confidence: points.length === 0 ? "low" : weakest(points) };
  },

  seo: ({ findings }) => {
    const held = findings.filter(({ isGood }) => isGood).length;
    return {
      summary: `${held} of ${findings.length} checks hold.`,
      points: findings
        .toSorted((a, b) => Number(a.isGood) - Number(b.isGood))
        .map((finding) => ({
          ...findingPoint(finding),
          text: `${finding.isGood ? "Good" : "To do"}: ${finding.text}`,
        })),
      confidence: "high",
    };
  },

  competitors: ({ searches }) =>
    stated(
      searches,
      "The page does not say both what it is and where, so there is nothing sure to search for.",
      (names) => `Sites that are found by the same words compete with it. Search for: ${names}.`,
    ),
};

/** What it is, and what it says of itself. */
function summaryOf({ kind, facts, weaknesses }: PageStudy): string {
  const { description, title, mainText } = facts;
  const blank = weaknesses.find(({ id }) => id !== "no-contact");
  if (blank !== undefined) return blank.text;
  const name = title === null ? "The page" : `“${title}”`;
  const is = kind === null ? "" : `${name} is ${kind.text}.`;
  const lead = description ?? sentencesOf(mainText).slice(0, 2).join(" ");
  const says = lead === "" ? "" : `It says of itself: “${lead}”`;
  return paragraph([is, says]) || `The page is called ${name} and says little more.`;
}

function stated(
  statements: readonly Statement[],
  nothing: string,
  something: (names: string) => string,
): AnalysisAnswer {
  const points = statements.map(pointOf);
  if (points.length === 0) return { summary: nothing, points, confidence: "low" };
  return { summary: something(listed(points.map(({ text }) => text))), points, confidence: weakest(points) };
}

function pointOf({ text, evidence, confidence }: Statement): AnswerPoint {
  return { text, evidence, confidence };
}

function findingPoint({ text, evidence }: SeoFinding): AnswerPoint {
  return { text, evidence, confidence: "high" };
}

/** An answer is as sure as the least sure thing in it. */
function weakest(points: readonly AnswerPoint[]): AnalysisAnswer["confidence"] {
  if (points.length === 0) return "low";
  return points.some(({ confidence }) => confidence !== "high") ? "medium" : "high";
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function paragraph(sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== "").join(" ");
}
