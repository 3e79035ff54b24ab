import { testDatabase } from "@lockstep/test-support";
import { createEngine, type Engine, type Job } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { questionIds } from "./services/asking/questions.ts";
import { LocalAnalyst } from "./services/local-analyst/local-analyst.ts";
import type { WebsiteAnalysis } from "./stages/report-forming.ts";
import type { Site } from "./stages/website-analysis.ts";
import { type LocalSite, startLocalSite } from "./test-support/local-site.ts";
import { websiteAnalysisPipeline } from "./website-analysis-pipeline.ts";

const db = testDatabase();
let site: LocalSite;
let engine: Engine;
let slow: Promise<Job>;
let pipeline: ReturnType<typeof websiteAnalysisPipeline>;

beforeAll(async () => {
  site = await startLocalSite();
  pipeline = websiteAnalysisPipeline({
    config: { allow: [site.host], fetchTimeoutMs: 3_000, tokenBudget: 1_000 },
    analyst: new LocalAnalyst(),
    retry: { baseMs: 10 },
  });
  engine = createEngine({ databaseUrl: db.url, pipelines: [pipeline], logger: null });
  await engine.start();
  // Three tries of three seconds each, while the others run.
  slow = analysed("/slow");
});

afterAll(async () => {
  await engine.stop();
  await site.stop();
  expect(await db.call("verify")).toEqual([]);
});

async function analysed(path: string): Promise<Job> {
  const { id } = await engine.add(pipeline, { url: `${site.url}${path}` });
  await engine.result(id, { timeoutMs: 25_000 }).catch(() => {});
  const job = await engine.get(id);
  if (job === null) throw new Error(`The job for ${path} is gone.`);
  return job;
}

function siteOf({ outputs }: Job): Site {
  return outputs["website-analysis"] as Site;
}

test("a plain page goes through the three stages and is analysed without any model", async () => {
  const job = await analysed("/plain");
  expect(job).toMatchObject({ status: "completed" });
  expect(job.attempts.map(({ stage, outcome }) => [stage, outcome])).toEqual([
    ["website-analysis", "done"],
    ["prompt-forming", "done"],
    ["model-analysis", "branched"],
    ["report-forming", "done"],
  ]);
  expect((await engine.branches(job.id)).map(({ stage, branch, status }) => [stage, branch, status])).toEqual(
    questionIds.map((question) => ["model-analysis", question, "completed"]),
  );
  expect(siteOf(job)).toMatchObject({
    url: `${site.url}/plain`,
    charset: "utf-8",
    facts: {
      title: "The Harbour Bakery: fresh bread every morning",
      language: "en",
      canonicalUrl: `${site.url}/plain`,
      faviconUrl: `${site.url}/bread.png`,
      headings: [
        { level: 1, text: "Fresh bread from the harbour" },
        { level: 2, text: "Baking courses" },
      ],
      images: { count: 2, withoutAlt: 1 },
      links: { internal: 2, external: 1 },
      structuredData: {
        jsonLd: [{ "@type": "Bakery" }],
        unreadableBlocks: 1,
        openGraph: { "og:title": "The Harbour Bakery" },
      },
      isScriptShell: false,
    },
  });
  const { technologies, mainText } = siteOf(job).facts;
  expect(technologies.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["WordPress 6.9", "WordPress", "jQuery"]),
  );
  expect(mainText).toContain("rests for a whole day");
  expect(mainText).not.toContain("imprint");

  const result = job.result as WebsiteAnalysis;
  expect(result.analysedBy).toMatchObject({
    kind: "local",
    note: expect.stringContaining("no model was asked"),
  });
  expect(result.answers.map(({ question }) => question)).toEqual(questionIds);
  const answer = Object.fromEntries(result.answers.map((one) => [one.question, one]));
  const texts = (question: string) => answer[question]?.points.map(({ text }) => text);
  expect(answer.offer?.summary).toContain("Sourdough bread");
  expect(texts("audience")).toEqual(["families", "small restaurants", "beginners"]);
  expect(texts("seo")).toContain("To do: 1 of 2 images have no alternative text.");
  expect(answer.seo?.points.find(({ text }) => text.includes("title"))?.evidence).toContain("Harbour Bakery");
});

test("only the questions that a job names are asked, and its analysis has no other answers", async () => {
  const { id } = await engine.add(pipeline, { url: `${site.url}/plain`, questions: ["seo", "offer"] });
  const { answers } = await engine.result(id, { timeoutMs: 25_000 });
  expect(answers.map(({ question }) => question)).toEqual(["offer", "seo"]);
});

test.each([
  ["/shell", { title: "Dash", isScriptShell: true }],
  ["/latin", { title: "Le café près de la gare", language: "fr" }],
  ["/japanese", { title: "港の図書館", language: "ja" }],
  ["/malformed", { headings: [{ level: 1, text: expect.stringContaining("A heading & more") }] }],
  ["/nested", { title: "Boxes in boxes", mainText: "In the middle." }],
  ["/injection", { mainText: expect.stringContaining("We sell spades") }],
  ["/moved", { title: "The Harbour Bakery: fresh bread every morning" }],
  ["/busy", { title: "The Harbour Bakery: fresh bread every morning" }],
])("%s is analysed too, odd as it is", async (path, facts) => {
  const job = await analysed(path);
  expect(job.attempts.at(-1)?.error ?? null).toBeNull();
  expect(job).toMatchObject({ status: "completed", outputs: { "website-analysis": { facts } } });
  expect((job.result as WebsiteAnalysis).answers).toHaveLength(questionIds.length);
});

test.each([
  ["/huge", "larger than 5242880 bytes", 1],
  ["/abyss", "its elements lie 1000000 deep in each other", 1],
  ["/bomb", "is not read to its end", 1],
  ["/loop", "redirects more than 5 times", 1],
  ["/slow", "was not read to the end within 3000 ms", 3],
  ["/gone", "answers with 404", 1],
  ["/members/list", "asks robots not to read /members/list", 1],
  ["/to-members", "asks robots not to read /members/list", 1],
  ["/paper.pdf", "answers with application/pdf", 1],
  ["/inside", "169.254.169.254 is not read: the address is not public but link-local", 1],
  ["/empty", "there is nothing to ask about", 1],
])("%s fails with a sentence that says why: %s", async (path, message, attempts) => {
  const job = await (path === "/slow" ? slow : analysed(path));
  expect(job.status).toBe("failed");
  const last = job.attempts.at(-1);
  expect(last?.error?.message).toContain(message);
  expect(last?.attempt).toBe(attempts);
});

test("a site that blocks robots is not asked for its page, and robots.txt is read once for all jobs", async () => {
  expect(site.hits("/members/list")).toBe(0);
  expect(site.hits("/robots.txt")).toBe(1);
});

test("what is no address is refused when it is added", async () => {
  await expect(engine.add(pipeline, { url: "example.com" })).rejects.toThrow("must be a whole address");
  await expect(engine.add(pipeline, { url: "ftp://example.com/" })).rejects.toThrow(
    "must be a whole address",
  );
});
