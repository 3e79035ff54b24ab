import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { germanLabels } from "./labels-de.ts";
import { englishLabels } from "./labels-en.ts";
import { spanishLabels } from "./labels-es.ts";
import { frenchLabels } from "./labels-fr.ts";
import { heldOutLabels } from "./labels-held-out.ts";
import { italianLabels } from "./labels-it.ts";
import { type Judged, measureAnalyst, scoreOf, statementKinds } from "./measure-analyst.ts";

const developed = [...englishLabels, ...germanLabels, ...frenchLabels, ...spanishLabels, ...italianLabels];
const names = {
  kind: "what the site is",
  offers: "offer",
  audience: "audience",
  tone: "tone",
  strengths: "strengths",
  weaknesses: "weaknesses",
  searches: "competitors",
} as const;

const onDeveloped = await measureAnalyst(developed);
const onHeldOut = await measureAnalyst(heldOutLabels);

test("every page has a label, and every label a page: at least 40, in five languages", async () => {
  const folders = ["en", "de", "fr", "es", "it", "held-out"];
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(new URL(`./${folder}/`, import.meta.url))).map((name) => `${folder}/${name}`),
    ),
  );
  const pages = [...developed, ...heldOutLabels].map(({ page }) => `${page}.html`);
  expect(pages.toSorted()).toEqual(files.flat().toSorted());
  expect(pages.length).toBeGreaterThanOrEqual(40);
});

test.each([
  ["the pages it was developed with", onDeveloped],
  ["the pages held out", onHeldOut],
])("of what the local analyst says of %s, at least nine in ten are right", (_which, judged) => {
  const wrong = judged.filter(({ verdict }) => verdict === "wrong");
  expect(scoreOf(judged).precision, JSON.stringify(wrong)).toBeGreaterThanOrEqual(0.9);
  for (const kind of statementKinds) {
    const score = scoreOf(judged.filter((one) => one.kind === kind));
    expect(score.precision, `${kind}: ${JSON.stringify(wrong)}`).toBeGreaterThanOrEqual(0.9);
  }
});

test("what it is surer of is right more often", () => {
  const all = [...onDeveloped, ...onHeldOut];
  const precisionAt = (confidence: Judged["confidence"]) =>
    scoreOf(all.filter((one) => one.confidence === confidence)).precision;
  expect(precisionAt("high")).toBeGreaterThan(precisionAt("medium"));
  expect(precisionAt("high")).toBeGreaterThanOrEqual(0.98);
});

test("the table in the README has the numbers of this run", async () => {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const cells = readme
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim())
        .join(" | "),
    );
  const rows = [
    ...statementKinds.map((kind) => row(names[kind], (one) => one.kind === kind)),
    row("all", () => true),
    row("all with high confidence", ({ confidence }) => confidence === "high", false),
    row("all with medium confidence", ({ confidence }) => confidence === "medium", false),
  ];
  for (const one of rows) expect(cells).toContain(one);
});

function row(name: string, isMeant: (one: Judged) => boolean, hasRecall = true): string {
  const numbers = [onDeveloped, onHeldOut].flatMap((judged) => {
    const { said, precision, recall } = scoreOf(judged.filter(isMeant));
    return [String(said), precision.toFixed(2), hasRecall ? recall.toFixed(2) : "–"];
  });
  return [name, ...numbers].join(" | ");
}
