import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { degrees, PDFDocument } from "@cantoo/pdf-lib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { typesetPdf } from "../corpus/typeset.ts";
import { openPdf } from "../reading/child/pdf/pdf-document.ts";
import { withPage } from "../reading/child/pdf/pdf-page.ts";
import { readTextLayer } from "../reading/child/pdf/text-layer.ts";
import { type PageText, pageTextOf, plainPage, type Word } from "../reading/page-text.ts";
import { defaultReadingLimits } from "../reading/reading-limits.ts";
import { uprightBox } from "../reading/upright-box.ts";
import { buildResults } from "./build-results.ts";

vi.setConfig({ testTimeout: 120_000 });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "build-results-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const turns = [0, 90, 180, 270];
const size = 12;

/** A word of 60 by 12 points that begins at a corner of its box, which one depends on the way it runs. */
function seenWord(text: string, x: number, y: number, degrees: number): Word {
  const [width, height] = degrees % 180 === 0 ? [60, size] : [size, 60];
  // Eight tenths of the size are above the baseline.
  const start = {
    0: { x, y: y + 0.8 * size },
    90: { x: x + 0.2 * size, y },
    180: { x: x + width, y: y + 0.2 * size },
    270: { x: x + 0.8 * size, y: y + height },
  }[degrees] ?? { x, y };
  return {
    text,
    confidence: 90,
    box: { x, y, width, height },
    baseline: { ...start, degrees, length: 60, size },
  };
}

/** Two words, the second after the first the way the lines run. */
function seenPage(page: number, rotationDegrees: number): PageText {
  const second = { 0: [170, 200], 90: [100, 270], 180: [30, 200], 270: [100, 130] }[rotationDegrees] ?? [];
  const words = [
    seenWord("Straße", 100, 200, rotationDegrees),
    seenWord("Łódź", second[0] ?? 0, second[1] ?? 0, rotationDegrees),
  ];
  const place = { ...plainPage, widthPoints: 400, heightPoints: 500, rotationDegrees };
  return pageTextOf([words], { ...place, page, source: "ocr" });
}

test("scanned pages get their words where they were seen and are turned upright, however page and text lie", async () => {
  // Every turn of the page in the file with every turn of the text on it, seen from the page as it is shown.
  const kinds = turns.flatMap((pageTurn) => turns.map((textTurn) => ({ pageTurn, textTurn })));
  const original = await PDFDocument.load(await typesetPdf([{ paragraphs: ["A text layer."] }]));
  for (const { pageTurn } of kinds) {
    const page = original.addPage(pageTurn % 180 === 0 ? [400, 500] : [500, 400]);
    page.setRotation(degrees(pageTurn));
  }
  const file = join(folder, "original.pdf");
  await writeFile(file, await original.save());
  const layered = pageTextOf(
    [[{ text: "layer", confidence: 90, box: { x: 1, y: 2, width: 3, height: 4 } }]],
    {
      ...plainPage,
      page: 1,
      source: "text-layer",
      widthPoints: 595,
      heightPoints: 842,
    },
  );
  const pages = [layered, ...kinds.map(({ textTurn }, at) => seenPage(at + 2, textTurn))];
  const boosted = pages.map(({ page, text }) => ({
    page,
    text: `${text}!`,
    source: "local" as const,
    corrections: [],
    note: page === 1 ? "a note" : null,
  }));

  const signal = new AbortController().signal;
  const results = await buildResults({ pages, boosted, file, folder, limits: defaultReadingLimits, signal });
  expect(await readdir(folder)).toEqual(["original.pdf"]);
  expect(results.text.split("\n\n\f")).toEqual(boosted.map(({ text }) => text));
  expect(results.json).toMatchObject({ version: 1, pageCount: 17, confidence: 90 });
  expect(results.json.pages[0]).toMatchObject({
    boostedText: "layer!",
    note: "a note",
    words: layered.words,
  });

  const searchable = join(folder, "searchable.pdf");
  await writeFile(searchable, results.searchablePdf);
  const document = await openPdf(searchable, defaultReadingLimits);
  const layers = pages.map(({ page }) => withPage(document, page, (open) => readTextLayer(open, 100)));
  expect(layers[0]?.lines.flat().map(({ text }) => text)).toEqual(["A", "text", "layer."]);
  for (const [at, { textTurn, pageTurn }] of kinds.entries()) {
    const layer = layers[at + 1];
    const seen = pages[at + 1] ?? layered;
    const expected = seen.words.map(({ text, box }) => ({ text, box: near(uprightBox(box, seen)) }));
    const found = layer?.lines.flat().map(({ text, box }) => ({ text, box }));
    expect({ pageTurn, textTurn, turned: layer?.rotationDegrees, found }).toEqual({
      pageTurn,
      textTurn,
      turned: 0,
      found: expected,
    });
  }
});

function near(box: Word["box"]) {
  return Object.fromEntries(
    Object.entries(box).map(([name, points]) => [name, expect.closeTo(points, -0.5)]),
  );
}
