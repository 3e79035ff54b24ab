// The upload page in a real browser, with a document that is read meanwhile. In real time.
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { type Listening, listen } from "@lockstep/server";
import { axeFindings, testDatabase } from "@lockstep/test-support";
import type { Browser } from "@playwright/test";
import { createEngine, type Engine } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { poisonFiles } from "../../apps/document-ocr/src/corpus/poison.ts";
import { DocumentOcrApp } from "../../apps/document-ocr/src/document-ocr-app.ts";
import { readDocumentOcrConfig } from "../../apps/document-ocr/src/document-ocr-config.ts";
import { uploadServer } from "../../apps/document-ocr/src/upload-server.ts";
import { describeInBrowser, seen } from "./browser.ts";
import { launchChromium } from "./chromium.ts";

const db = testDatabase();
const app = new DocumentOcrApp(readDocumentOcrConfig({}), async () => db.url);
const sample = fileURLToPath(new URL("../../apps/document-ocr/samples/letter.pdf", import.meta.url));
/** Reading takes processes of its own, and a page some seconds. */
const patiently = { timeout: 90_000 };
let engine: Engine;
let listening: Listening;
let browser: Browser;

describeInBrowser("document OCR", () => {
  beforeAll(async () => {
    engine = createEngine({ databaseUrl: db.url, pipelines: [app.pipeline], logger: null });
    await engine.start();
    const server = uploadServer({ engine, app, consoleFolder: null, tempFolder: tmpdir() });
    listening = await listen(server, { port: 0 });
    browser = await launchChromium();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await listening?.stop();
    await engine?.stop();
    await app.close();
  });

  test("a dropped PDF is read before one's eyes, and what cannot be read says why at its stage", async () => {
    const page = await browser.newPage({ viewport: { width: 1_100, height: 1_000 } });
    const complaints: string[] = [];
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (message) => {
      if (/Content Security Policy/.test(message.text())) complaints.push(message.text());
    });
    await page.goto(listening.url);
    const withPassword = await poisonFiles.find(({ name }) => name === "password")?.make();
    const inMemory = (name: string, bytes: Uint8Array) => ({
      ...{ name, mimeType: "application/pdf" },
      buffer: Buffer.from(bytes),
    });
    await page.setInputFiles("#choose", [
      inMemory("letter.pdf", await readFile(sample)),
      inMemory("locked.pdf", withPassword ?? Buffer.alloc(0)),
      inMemory("notes.pdf", Buffer.from("no PDF at all")),
    ]);

    await seen(page.getByText("notes.pdf: The document is not a PDF")).toBeVisible();
    const documents = page.getByRole("listitem");
    const locked = documents.filter({ hasText: "locked.pdf" });
    await seen(locked.getByText(/Extraction error \(try 1\): .*password/)).toBeVisible(patiently);
    const letter = documents.filter({ hasText: "letter.pdf" });
    await seen(letter.getByText("Dear reader,")).toBeVisible(patiently);
    await seen(letter.getByText(/completed · 2 pages · confidence/)).toBeVisible();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      letter.getByRole("link", { name: "Searchable PDF" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("letter.searchable.pdf");
    expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe("%PDF-");

    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeFindings(page, colorScheme)).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });
});
