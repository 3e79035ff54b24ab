import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { degrees, PDFDocument } from "pdf-lib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { typesetPdf } from "../corpus/typeset.ts";
import { openPdf } from "../reading/child/pdf-document.ts";
import { withPage } from "../reading/child/pdf-page.ts";
import { readTextLayer } from "../reading/child/text-layer.ts";
import { type PageText, pageTextOf, type Word } from "../reading/page-text.ts";
import { defaultReadingLimits } from "../reading/reading-limits.ts";
import { buildResults } from "./build-results.ts";

vi.setConfig({ testTimeout: 120_000 });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "build-results-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const turns = [0, 90, 180, 270];
const word = (text: string, x: number, y: number, [width, height]: readonly [number, number]): Word => ({
  text,
  confidence: 90,
  box: { x, y, width, height },
});

/** Two words, the second after the first the way the lines run. */
function seenPage(page: number, rotationDegrees: number): PageText {
  const size = rotationDegrees % 180 === 0 ? ([60, 12] as const) : ([12, 60] as const);
  const second = { 0: [170, 200], 90: [100, 270], 180: [30, 200], 270: [100, 130] }[rotationDegrees] ?? [];
  const words = [word("Straße", 100, 200, size), word("Łódź", second[0] ?? 0, second[1] ?? 0, size)];
  return pageTextOf([words], { page, source: "ocr", widthPoints: 400, heightPoints: 500, rotationDegrees });
}

test("scanned pages get their words where they were seen, however page and text are turned", async () => {
  // Every turn of the page in the file with every turn of the text on it, seen from the page as it is shown.
  const kinds = turns.flatMap((pageTurn) => turns.map((textTurn) => ({ pageTurn, textTurn })));
  const original = await PDFDocument.load(await typesetPdf([{ paragraphs: ["A text layer."] }]));
  for (const { pageTurn } of kinds) {
    const page = original.addPage(pageTurn % 180 === 0 ? [400, 500] : [500, 400]);
    page.setRotation(degrees(pageTurn));
  }
  const file = join(folder, "original.pdf");
  await writeFile(file, await original.save());
  const layered = pageTextOf([[word("layer", 1, 2, [3, 4])]], {
    page: 1,
    source: "text-layer",
    widthPoints: 595,
    heightPoints: 842,
    rotationDegrees: 0,
  });
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
    const expected = pages[at + 1]?.words.map(({ text, box }) => ({ text, box: near(box) }));
    const found = layer?.lines.flat().map(({ text, box }) => ({ text, box }));
    expect({ pageTurn, textTurn, turned: layer?.rotationDegrees, found }).toEqual({
      pageTurn,
      textTurn,
      turned: textTurn,
      found: expected,
    });
  }
});

function near(box: Word["box"]) {
  return Object.fromEntries(
    Object.entries(box).map(([name, points]) => [name, expect.closeTo(points, -0.5)]),
  );
}
