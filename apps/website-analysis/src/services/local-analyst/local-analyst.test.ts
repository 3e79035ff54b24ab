import { expect, test } from "vitest";
import { sitePages } from "../../test-support/site-pages.ts";
import { type QuestionId, questionIds } from "../asking/questions.ts";
import { pageFacts } from "../facts/page-facts.ts";
import { keyPhrases } from "./key-phrases.ts";
import { LocalAnalyst } from "./local-analyst.ts";
import { readabilityScores } from "./readability-scores.ts";

const url = "https://site.example/";

async function answersTo(html: string) {
  const facts = pageFacts({ url, headers: {}, html });
  const analyst = new LocalAnalyst();
  const answers = await Promise.all(
    questionIds.map(
      async (question) => [question, (await analyst.answer({ question }, { facts })).answer] as const,
    ),
  );
  return Object.fromEntries(answers) as Record<QuestionId, (typeof answers)[number][1]>;
}

test("the same page gets the same answers", async () => {
  expect(await answersTo(sitePages.bakery)).toEqual(await answersTo(sitePages.bakery));
});

test("it says what the page says: phrases, sentences and findings are all from the page", async () => {
  const answers = await answersTo(sitePages.bakery);
  for (const phrase of answers.offer.points)
    expect(sitePages.bakery.toLowerCase().replace(/\s+/g, " ")).toContain(phrase);
  expect(answers.offer.points.slice(0, 3)).toEqual(["fresh bread", "baking courses", "sourdough bread"]);
  expect(answers.weaknesses.points).toContain("1 of 2 images have no alternative text.");
  expect(answers.strengths.points).toContain("There is exactly one main heading.");
  expect(answers.seo.summary).toMatch(/^\d+ of \d+ checks hold: \d+ of 100 points\.$/);
  expect(answers.competitors.points).toContain("best sourdough bread");
  expect(answers.tone.summary).toContain("personal");
});

test.each(["<title>x</title>", sitePages.shell, sitePages.malformed, sitePages.french])(
  "it answers every question about a poor page too, and is not sure of it",
  async (html) => {
    for (const { summary, confidence } of Object.values(await answersTo(html))) {
      expect(summary).not.toBe("");
      expect(confidence).toBe("low");
    }
  },
);

test("a phrase takes the place of the single words in it, also of those that come before it", () => {
  const text = "We sell green tea for families. You can order green tea every day.";
  const phrases = keyPhrases({ text, weighted: ["A small shop for tea", "Tea"], language: "en" }, 3);
  expect(phrases.map(({ phrase }) => phrase)).toEqual(["small shop", "green tea"]);
});

test("key phrases leave out stop words, and parts of longer phrases", () => {
  const text = "The green tea of the house. Green tea is the best. We sell green tea and the cups.";
  const phrases = keyPhrases({ text, weighted: [], language: "en" }, 5).map(({ phrase }) => phrase);
  expect(phrases[0]).toBe("green tea");
  expect(phrases).not.toContain("tea");
  expect(phrases).not.toContain("the");
});

test("short words in short sentences are easier to read than long ones in long ones", () => {
  const easy = readabilityScores(
    "The cat sat on the mat. It was a warm day. The dog ran to the cat. They sat in the sun.",
  );
  const hard = readabilityScores(
    "Comprehensive organisational transformation necessitates interdisciplinary collaboration among heterogeneous stakeholders. Institutional accountability presupposes transparent documentation of administrative responsibilities. Bureaucratic intermediaries systematically underestimate coordination complexities.",
  );
  expect(easy?.readingEase).toBeGreaterThan(90);
  expect(hard?.readingEase).toBeLessThan(10);
  expect(readabilityScores("Too short.")).toBeNull();
});
