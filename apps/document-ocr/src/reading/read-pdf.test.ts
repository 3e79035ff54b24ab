import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PDFDocument } from "@cantoo/pdf-lib";
import { PermanentError } from "lockstep";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { characterErrorRate } from "../corpus/character-errors.ts";
import { mixedPdf } from "../corpus/mixed-pdf.ts";
import { poisonFiles } from "../corpus/poison.ts";
import { cleanScan, scannedPdf, scanPage } from "../corpus/scan.ts";
import { type TypesetPage, truthOf, typesetPdf } from "../corpus/typeset.ts";
import { groupMembers, readingProcess } from "../test-support/reading-processes.ts";
import { type PageText, plainPage } from "./page-text.ts";
import { readPdf } from "./read-pdf.ts";
import { defaultReadingLimits } from "./reading-limits.ts";

// Each starts a process that takes some tenths of a second on a quiet machine, and many times that on a busy one.
vi.setConfig({ testTimeout: 120_000 });

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "read-pdf-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function read(bytes: Uint8Array, options: Partial<Parameters<typeof readPdf>[0]> = {}) {
  const folder = await mkdtemp(join(root, "try-"));
  const file = join(folder, "document.pdf");
  await writeFile(file, bytes);
  const onPages: number[] = [];
  const onPage: PageText[] = [];
  const pages = await readPdf({
    file,
    folder,
    limits: defaultReadingLimits,
    ocr: { pagesAtOnce: 2, model: null },
    language: null,
    donePages: new Map(),
    onPages: (count) => onPages.push(count),
    onPage: async (page) => void onPage.push(page),
    signal: new AbortController().signal,
    ...options,
  });
  expect(await readdir(folder)).toEqual(["document.pdf"]);
  return { pages, onPages, onPage };
}

const letter: TypesetPage = {
  heading: "Über den Fluß",
  paragraphs: ["The ferry leaves at seven. Señor Núñez waits at the café."],
};
const done: PageText = {
  page: 2,
  source: "ocr",
  widthPoints: 595,
  heightPoints: 842,
  ...plainPage,
  warnings: [],
  words: [],
  text: "kept from an earlier try",
  confidence: 0,
};

test("a text layer is read word by word, and pages that are done are not read again", async () => {
  const bytes = await typesetPdf([letter, { paragraphs: ["never read"] }, { ...letter, turnedDegrees: 90 }]);
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
  expect(third).toMatchObject({
    rotationDegrees: 90,
    widthPoints: 842,
    heightPoints: 595,
    text: first?.text,
  });
});

const note: TypesetPage = {
  size: { width: 420, height: 190 },
  heading: "Harbour office",
  paragraphs: [
    "Every parcel is weighed twice, once on arrival and once before it goes out. Invoice 20417 is settled.",
  ],
};

test("scans are read letter by letter: clean, with noise and askew, upside down, and below a typeset heading", async () => {
  const qualities = [
    cleanScan,
    { ...cleanScan, grain: 18, specks: 0.004, shadow: 40, skewDegrees: 1.8 },
    { ...cleanScan, quarterTurns: 2 as const },
    { ...cleanScan, quarterTurns: 3 as const },
  ];
  const images = await Promise.all(qualities.map((quality, at) => scanPage(note, quality, at)));
  const document = await PDFDocument.load(await scannedPdf(images.map((image) => ({ image, dpi: 200 }))));
  const mixed = await PDFDocument.load(await mixedPdf([letter, note], cleanScan));
  for (const page of await document.copyPages(mixed, [1])) document.addPage(page);
  const { pages } = await read(await document.save());
  const errors = pages.map(({ text }) => characterErrorRate(text, truthOf(note)));
  expect(errors[0]).toBeLessThanOrEqual(0.01);
  expect(errors[1]).toBeLessThanOrEqual(0.03);
  expect(errors[2]).toBeLessThanOrEqual(0.01);
  expect(errors[3]).toBeLessThanOrEqual(0.01);
  expect(errors[4]).toBeLessThanOrEqual(0.01);
  expect(pages.map(({ rotationDegrees }) => rotationDegrees)).toEqual([0, 0, 180, 270, 0]);
  expect(pages.every(({ source, confidence }) => source === "ocr" && confidence > 80)).toBe(true);
  // The heading of the last page comes from its text layer.
  expect(pages[4]?.words[0]).toMatchObject({ text: "Harbour", confidence: 100 });
  // Where the heading stands on the page as it is shown, whichever way that is turned.
  expect(pages[0]?.words[0]).toMatchObject({ text: "Harbour", box: { x: near(60), y: near(64) } });
  expect(pages[2]?.words[0]?.box).toMatchObject({ x: near(420 - 60 - 58), y: near(190 - 64 - 14) });
  expect(pages[3]?.words[0]?.box).toMatchObject({ x: near(64), y: near(420 - 60 - 58) });
});

test.each([
  ["memory", "flate-bomb", { memoryBytes: 300 * 1024 * 1024 }],
  ["memory for Node to go on", "flate-bomb", { memoryBytes: 200 * 1024 * 1024 }],
  ["processor time", "endless-drawing", { cpuMsPerPage: 1_500 }],
])("a page that takes too much %s is stopped for good", async (_, name, limits) => {
  const poison = poisonFiles.find((file) => file.name === name);
  const error = await read((await poison?.make()) ?? new Uint8Array(), {
    limits: { ...defaultReadingLimits, ...limits },
  }).catch((thrown) => thrown);
  expect(error).toMatchObject({ name: "UnsafeDocumentError", code: poison?.refusal });
  expect(error).toBeInstanceOf(PermanentError);
});

test("a reading process that is killed fails the try and not the document, and leaves nobody behind", async () => {
  const endless = await poisonFiles.find(({ name }) => name === "endless-drawing")?.make();
  const reading = read(endless ?? new Uint8Array()).catch((thrown) => thrown);
  const pid = await readingProcess();
  process.kill(pid, "SIGKILL");
  const error = await reading;
  expect(error).toMatchObject({ name: "ReadingCrashError", message: /SIGKILL/ });
  expect(error).not.toBeInstanceOf(PermanentError);
  expect(await groupMembers(pid)).toEqual([]);
});

test("an aborted reading is over at once, with every process it started", async () => {
  const endless = await poisonFiles.find(({ name }) => name === "endless-drawing")?.make();
  const abort = new AbortController();
  const reading = read(endless ?? new Uint8Array(), { signal: abort.signal }).catch((thrown) => thrown);
  const pid = await readingProcess();
  abort.abort(new Error("the job was cancelled"));
  expect(await reading).toEqual(new Error("the job was cancelled"));
  expect(await groupMembers(pid)).toEqual([]);
});

test("a page that cannot be kept ends the reading with the reason", async () => {
  const onPage = () => Promise.reject(new Error("the database is gone"));
  await expect(read(await typesetPdf([letter, letter]), { onPage })).rejects.toThrow("the database is gone");
});

function near(points: number) {
  return expect.closeTo(points, -0.7);
}
