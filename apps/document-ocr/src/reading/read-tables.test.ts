import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { characterErrorRate } from "../corpus/character-errors.ts";
import { heldOutDocuments } from "../corpus/held-out/documents.ts";
import { cleanScan, scannedPdf, scanPage } from "../corpus/scan.ts";
import type { PageText } from "./page-text.ts";
import { readPdf } from "./read-pdf.ts";
import { defaultReadingLimits as limits } from "./reading-limits.ts";

vi.setConfig({ testTimeout: 120_000 });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "read-tables-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function readFirstPage(bytes: Uint8Array): Promise<PageText | undefined> {
  const file = join(folder, "document.pdf");
  await writeFile(file, bytes);
  const [page] = await readPdf({
    ...{ file, folder, limits, language: null, donePages: new Map() },
    ocr: { pagesAtOnce: 1, model: null },
    onPage: async () => {},
    onPages: () => {},
    signal: new AbortController().signal,
  });
  return page;
}

test("the table of an invoice has every cell, also figures that stand alone", async () => {
  const invoice = heldOutDocuments().find(({ name }) => name === "eng-invoice");
  const page = await readFirstPage((await invoice?.make()) ?? new Uint8Array());
  expect(page).toMatchObject({ language: "eng", warnings: [], unread: [] });
  const cells = page?.tables.map(({ rows }) => rows.map((row) => row.map(({ text }) => text)));
  expect(cells).toEqual([invoice?.table]);
  expect(characterErrorRate(page?.text ?? "", invoice?.truth[0] ?? "")).toBeLessThanOrEqual(0.01);
});

test("a page in German is found to be so, and read with its letters", async () => {
  const text = "Für die Lieferung über die Straße zahlen Sie eine Gebühr, die größer ist als im März.";
  const note = { paragraphs: [text], size: { width: 420, height: 170 } };
  const image = await scanPage(note, cleanScan, 1);
  const page = await readFirstPage(await scannedPdf([{ image, dpi: cleanScan.dpi }]));
  expect(page?.language).toBe("deu");
  expect(page?.text.replaceAll("\n", " ")).toBe(text);
});

test("ink that is no text is said to be unread, and where", async () => {
  const note = {
    paragraphs: ["The ferry leaves at seven from the pier."],
    size: { width: 400, height: 300 },
  };
  const { width, height, pixels } = await scanPage(note, cleanScan, 1);
  // A round stamp, an inch below the text.
  for (let y = 500; y < 660; y++) {
    for (let x = 400; x < 560; x++) if (Math.hypot(x - 480, y - 580) < 80) pixels[y * width + x] = 0;
  }
  const page = await readFirstPage(
    await scannedPdf([{ image: { width, height, pixels }, dpi: cleanScan.dpi }]),
  );
  expect(page?.text).toBe("The ferry leaves at seven from the pier.");
  expect(page?.warnings).toEqual([expect.stringContaining("1 place with ink was not read")]);
  const [place] = page?.unread ?? [];
  expect(place?.x).toBeGreaterThan((380 * 72) / 200);
  expect(place?.y).toBeGreaterThan((480 * 72) / 200);
});
