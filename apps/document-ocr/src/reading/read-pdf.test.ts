import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TypesetPage, typesetPdf } from "../corpus/typeset.ts";
import type { PageText } from "./page-text.ts";
import { readPdf } from "./read-pdf.ts";
import { defaultReadingLimits } from "./reading-limits.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "read-pdf-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(bytes: Uint8Array, options: Partial<Parameters<typeof readPdf>[0]> = {}) {
  const file = join(folder, "document.pdf");
  await writeFile(file, bytes);
  const onPages: number[] = [];
  const onPage: PageText[] = [];
  const pages = await readPdf({
    file,
    folder,
    limits: defaultReadingLimits,
    ocr: { pagesAtOnce: 2, model: null },
    donePages: new Map(),
    onPages: (count) => onPages.push(count),
    onPage: async (page) => void onPage.push(page),
    signal: new AbortController().signal,
    ...options,
  });
  return { pages, onPages, onPage };
}

const letter: TypesetPage = {
  heading: "Über den Fluß",
  paragraphs: ["The ferry leaves at seven. Señor Núñez waits at the café."],
};

test("a text layer is read word by word, and pages that are done are not read again", async () => {
  const bytes = await typesetPdf([letter, { paragraphs: ["never read"] }, { ...letter, turnedDegrees: 90 }]);
  const done: PageText = {
    page: 2,
    source: "ocr",
    widthPoints: 595,
    heightPoints: 842,
    rotationDegrees: 0,
    words: [],
    text: "kept from an earlier try",
    confidence: 0,
  };
  const { pages, onPages, onPage } = await read(bytes, { donePages: new Map([[2, done]]) });
  expect(onPages).toEqual([3]);
  expect(onPage.map(({ page }) => page)).toEqual([1, 3]);
  const [first, second, third] = pages;
  expect(second).toEqual(done);
  expect(first).toMatchObject({
    source: "text-layer",
    rotationDegrees: 0,
    confidence: 100,
    widthPoints: 595,
  });
  expect(first?.text).toBe("Über den Fluß\nThe ferry leaves at seven. Señor Núñez waits at the café.");
  expect(first?.words[0]).toMatchObject({ text: "Über", box: { x: 60, y: expect.closeTo(62, 0) } });
  expect(third).toMatchObject({ rotationDegrees: 90, widthPoints: 842, heightPoints: 595 });
  expect(await readdir(folder)).toEqual(["document.pdf"]);
});
