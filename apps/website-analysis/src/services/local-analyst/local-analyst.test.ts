import { expect, test } from "vitest";
import { sitePages } from "../../test-support/site-pages.ts";
import type { AskingContext } from "../asking/analyst.ts";
import { type QuestionId, questionIds } from "../asking/questions.ts";
import { pageFacts } from "../facts/page-facts.ts";
import { LocalAnalyst } from "./local-analyst.ts";

const url = "https://site.example/";

/** A stream that keeps what is written to it. */
function keptStream() {
  const chunks: string[] = [];
  const stream = (() => ({ write: async (chunk: string) => void chunks.push(chunk) })) as unknown;
  return { chunks, stream: stream as AskingContext["stream"] };
}

async function answersTo(html: string) {
  const facts = pageFacts({ url, headers: {}, html });
  const analyst = new LocalAnalyst();
  const answers = await Promise.all(
    questionIds.map(
      async (question) =>
        [question, (await analyst.answer({ question }, { facts }, keptStream())).answer] as const,
    ),
  );
  return Object.fromEntries(answers) as Record<QuestionId, (typeof answers)[number][1]>;
}
// So that the page is not taken for an empty one.
const filler =
  "<p>The river runs past the old mill and under the bridge. In winter it freezes near the bank. In spring the water rises over the meadow.</p>";
const page = (body: string, language = "en") =>
  `<!doctype html><html lang="${language}"><head><title>Some page of ours</title></head><body>${body}${filler}</body></html>`;
const textsOf = ({ points }: { points: readonly { text: string }[] }) => points.map(({ text }) => text);

test("what is found is written sentence by sentence", async () => {
  const facts = pageFacts({ url, headers: {}, html: sitePages.bakery });
  const { chunks, stream } = keptStream();
  const { answer } = await new LocalAnalyst().answer({ question: "seo" }, { facts }, { stream });
  expect(chunks.join("")).toBe([answer.summary, ...textsOf(answer).map((text) => `– ${text}`)].join("\n"));
  expect(chunks.length).toBeGreaterThan(answer.points.length);
});

test("the same page gets the same answers", async () => {
  expect(await answersTo(sitePages.bakery)).toEqual(await answersTo(sitePages.bakery));
});

test("every point of the answers has evidence, and what is quoted stands on the page", async () => {
  const answers = await answersTo(sitePages.bakery);
  expect(answers.offer.summary).toContain("is a bakery");
  expect(textsOf(answers.audience)).toEqual(["families", "small restaurants", "beginners"]);
  expect(textsOf(answers.seo)).toContain("To do: 1 of 2 images have no alternative text.");
  const visible = sitePages.bakery.replace(/\s+/g, " ");
  for (const { evidence } of [...answers.audience.points, ...answers.tone.points]) {
    expect(visible).toContain((evidence ?? "").replace(/ …$/, ""));
  }
  for (const { points } of Object.values(answers))
    for (const point of points) expect(point.evidence).toBeTruthy();
});

test.each([
  [
    "things are no audience",
    "<p>The chair is made for the office, for the weekend and for a long life.</p>",
    "audience",
  ],
  ["what it is not for is no audience", "<p>The knife is not suitable for children.</p>", "audience"],
  ["what is refused is no offer", "<p>We offer no refunds. We offer not a single excuse.</p>", "offer"],
  ["without a place there is nothing to search for", "<h1>A bakery</h1><p>We bake bread.</p>", "competitors"],
  [
    "a headline about a museum makes no museum",
    "<h1>The city closes the museum in Leeds</h1>",
    "competitors",
  ],
] as const)("it says nothing rather than nonsense: %s", async (_why, body, question) => {
  const { points, confidence } = (await answersTo(page(body)))[question];
  expect(points).toEqual([]);
  expect(confidence).toBe("low");
});

test.each(["<title>x</title>", sitePages.shell, "<p>Kort tekst om ingenting.</p>"])(
  "of a page that says nothing it says so, and claims nothing: %#",
  async (html) => {
    const answers = await answersTo(html);
    for (const question of ["offer", "audience", "tone", "strengths", "competitors"] as const) {
      expect(answers[question].points).toEqual([]);
      expect(answers[question].summary).not.toBe("");
      expect(answers[question].confidence).toBe("low");
    }
  },
);

test("what the page says twice is surer than what it says once", async () => {
  const once = await answersTo(page("<h1>Hello</h1><p>Courses for beginners.</p>"));
  const twice = await answersTo(page("<h1>Courses for beginners</h1><p>Courses for beginners.</p>"));
  expect(once.audience.points).toMatchObject([{ text: "beginners", confidence: "medium" }]);
  expect(twice.audience.points).toMatchObject([{ text: "beginners", confidence: "high" }]);
});

test("a page in an undeclared language is read if it is clearly one of the five", async () => {
  const text =
    "Nous proposons des ateliers pour les enfants dans le jardin de la mairie, tous les jours de la semaine. Vous pouvez venir avec vos amis.";
  const html = `<html><head><title>Atelier</title></head><body><p>${text}</p></body></html>`;
  expect(textsOf((await answersTo(html)).audience)).toEqual(["enfants"]);
});
