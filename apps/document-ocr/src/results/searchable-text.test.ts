import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { characterErrorRate } from "../corpus/character-errors.ts";
import { cleanScan, scannedPdf, scanPage } from "../corpus/scan.ts";
import { type TypesetPage, typesetPdf } from "../corpus/typeset.ts";
import { openPdf, type PdfDocument } from "../reading/child/pdf/pdf-document.ts";
import { withPage } from "../reading/child/pdf/pdf-page.ts";
import { readTextLayer } from "../reading/child/pdf/text-layer.ts";
import type { PageText, Word } from "../reading/page-text.ts";
import { readPdf } from "../reading/read-pdf.ts";
import { defaultReadingLimits as limits } from "../reading/reading-limits.ts";
import { describeWithPdftotext } from "../test-support/describe-with-pdftotext.ts";
import { pdftotext } from "../test-support/pdftotext.ts";
import { buildResults } from "./build-results.ts";

// Two processes that read and build; a busy machine takes its time for them.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const letter: TypesetPage = {
  size: { width: 480, height: 260 },
  heading: "Harbour office",
  paragraphs: [
    "Every parcel is weighed twice, once on arrival and once before it goes out. Invoice 20417 is settled. The surveyor measured the field and found it larger than the deed said.",
  ],
};
const columns: TypesetPage = {
  ...letter,
  columns: 2,
  fontSize: 10,
  paragraphs: [
    "Every parcel is weighed twice, once on arrival and once before it goes out. Invoice 20417 is settled.",
    "The surveyor measured the field and found it larger than the deed said. Rain fell for six days.",
  ],
};
const sheets = [
  { sheet: letter, skewDegrees: -2 },
  { sheet: letter, skewDegrees: 2 },
  { sheet: columns, skewDegrees: 1.4 },
  { sheet: letter, skewDegrees: 0, quarterTurns: 1 as const },
];

let folder: string;
let pages: PageText[];
let searchable: string;
let built: PdfDocument;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "searchable-text-"));
  const images = await Promise.all(
    sheets.map(({ sheet, ...laid }, at) => scanPage(sheet, { ...cleanScan, ...laid }, at)),
  );
  const file = join(folder, "scan.pdf");
  await writeFile(file, await scannedPdf(images.map((image) => ({ image, dpi: cleanScan.dpi }))));
  const { signal } = new AbortController();
  pages = await readPdf({
    ...{ file, folder, limits, signal, donePages: new Map() },
    ocr: { pagesAtOnce: 2, model: null },
    language: null,
    onPage: async () => {},
    onPages: () => {},
  });
  const results = await buildResults({ pages, boosted: [], file, folder, limits, signal });
  searchable = join(folder, "searchable.pdf");
  await writeFile(searchable, results.searchablePdf);
  built = await openPdf(searchable, limits);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const layerOf = (document: PdfDocument, page: number) =>
  withPage(document, page, (open) => readTextLayer(open, 1_000));
const middleOf = ({ box }: Word) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

test("a viewer finds in a scan that lay askew the words that were read, in their order", () => {
  for (const { page, text } of pages) {
    const found = layerOf(built, page)
      .lines.map((line) => line.map((word) => word.text).join(" "))
      .join("\n");
    expect(found).toBe(text);
  }
});

test("each word lies where it was printed before the sheet was laid in askew", async () => {
  for (const [at, { sheet, skewDegrees, quarterTurns = 0 }] of sheets.entries()) {
    const file = join(folder, `printed-${at}.pdf`);
    await writeFile(file, await typesetPdf([sheet]));
    const printed = layerOf(await openPdf(file, limits), 1).lines.flat();
    const found = layerOf(built, at + 1).lines.flat();
    // The straightened sheet is larger by what its corners took, the same on each side.
    const { width, height } = letter.size ?? { width: 0, height: 0 };
    const radians = (Math.abs(skewDegrees) * Math.PI) / 180;
    const grown = {
      x: (width * Math.cos(radians) + height * Math.sin(radians) - width) / 2,
      y: (height * Math.cos(radians) + width * Math.sin(radians) - height) / 2,
    };
    expect(found.map(({ text }) => text)).toEqual(printed.map(({ text }) => text));
    for (const [index, word] of found.entries()) {
      const there = middleOf(printed[index] ?? word);
      const expected = { x: there.x + grown.x, y: there.y + grown.y };
      const { x, y } = middleOf(word);
      const offPoints = Math.hypot(x - expected.x, y - expected.y);
      expect(offPoints, `${word.text}, laid in with ${quarterTurns} turns`).toBeLessThan(4);
    }
  }
});

describeWithPdftotext("pdftotext", () => {
  test("gives back what was read, page after page", () => {
    const texts = pdftotext(searchable).split("\f");
    for (const [at, { text }] of pages.entries()) {
      expect(characterErrorRate(texts[at] ?? "", text)).toBeLessThanOrEqual(0.01);
    }
  });
});
