// The upload page in a real browser, with a document that is read meanwhile. In real time.
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { type Listening, listen } from "@lockstep/server";
import { axeFindings, testDatabase } from "@lockstep/test-support";
import type { Browser, Page } from "@playwright/test";
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
    await seen(letter.getByText(/2 pages · confidence .* · English/)).toBeVisible();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      letter.getByRole("link", { name: "Searchable PDF" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("letter.searchable.pdf");
    expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe("%PDF-");

    await expectNoFindings(page);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("each page can be looked at with its words marked, and words are found on it", async () => {
    const page = await browser.newPage({ viewport: { width: 1_100, height: 1_000 } });
    await page.goto(listening.url);
    const letter = page.getByRole("listitem").filter({ hasText: "letter.pdf" });
    await letter.getByRole("button", { name: /^Page 2, read, confidence/ }).click();
    const dialog = page.getByRole("dialog", { name: "letter.pdf, page 2 of 2" });
    await seen(dialog.getByText(/\d+ words, confidence/)).toBeVisible(patiently);
    const picture = dialog.getByRole("img", { name: "Page 2 of letter.pdf" });
    await seen(picture).toHaveJSProperty("complete", true);
    // The mark lies over the picture, at the share of it that the word's place is of the page.
    const word = dialog.locator("rect.word").first();
    const [mark, sheet] = [await word.boundingBox(), await picture.boundingBox()];
    expect(mark?.x).toBeGreaterThan(sheet?.x ?? 0);
    expect((mark?.y ?? 0) + (mark?.height ?? 0)).toBeLessThan((sheet?.y ?? 0) + (sheet?.height ?? 0));
    const text = (await word.getAttribute("data-text")) ?? "";
    expect(text).toMatch(/\p{L}/u);
    await dialog.getByRole("searchbox", { name: "Find" }).fill(text);
    await seen(dialog.getByText(/^[1-9]\d* words?$/)).toBeVisible();
    expect(await dialog.locator("rect.found").count()).toBeGreaterThan(0);
    await expectNoFindings(page);
    await dialog.getByRole("button", { name: "Page before" }).click();
    await seen(page.getByRole("dialog", { name: "letter.pdf, page 1 of 2" })).toBeVisible();
    await page.getByRole("button", { name: "Close" }).click();
    await page.close();
  });

  test("a locked document opens with its password, and what is deleted is gone", async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    page.on("dialog", (dialog) => void dialog.accept());
    await page.goto(listening.url);
    const locked = page.getByRole("listitem").filter({ hasText: "locked.pdf" });
    await locked.getByLabel("Password of the document").fill("guess");
    await locked.getByRole("button", { name: "Open it" }).click();
    await seen(page.getByText("locked.pdf: The password does not open the document.")).toBeVisible(patiently);
    await locked.getByLabel("Password of the document").fill("secret");
    await locked.getByRole("button", { name: "Open it" }).click();
    await seen(page.getByText("locked.pdf was opened. The password is not kept.")).toBeVisible(patiently);
    await seen(locked.getByText(/1 page · confidence/)).toBeVisible(patiently);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await expectNoFindings(page);

    const [zip] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download all as zip" }).click(),
    ]);
    const bytes = await readFile(await zip.path());
    for (const name of ["letter/letter.searchable.pdf", "letter/letter.txt", "locked/locked.json"]) {
      expect(bytes.includes(name)).toBe(true);
    }
    await locked.getByRole("button", { name: "Delete" }).click();
    await seen(page.getByText("locked.pdf was deleted.")).toBeVisible();
    await seen(locked).toHaveCount(0);
    await page.reload();
    await seen(page.getByRole("listitem").filter({ hasText: "letter.pdf" })).toBeVisible();
    expect(await locked.count()).toBe(0);
    await page.close();
  });

  test("a document that waits looks so, in the language that was chosen, and a failed one can be retried", async () => {
    await engine.stop();
    engine = createEngine({ databaseUrl: db.url, pipelines: [app.pipeline], logger: null });
    const waitingServer = await listen(
      uploadServer({ engine, app, consoleFolder: null, tempFolder: tmpdir() }),
      { port: 0 },
    );
    const page = await browser.newPage({ viewport: { width: 1_100, height: 1_000 } });
    await page.goto(waitingServer.url);
    await page.getByLabel("Language of scanned pages").selectOption("German");
    await page.setInputFiles("#choose", {
      name: "later.pdf",
      mimeType: "application/pdf",
      buffer: await readFile(sample),
    });
    const later = page.getByRole("listitem").filter({ hasText: "later.pdf" });
    await seen(later.getByText("waiting for a worker")).toBeVisible();
    await seen(later).toHaveClass(/waits/);
    expect(await later.locator(".stage.processing, [role=progressbar]").count()).toBe(0);
    const id = (await later.getAttribute("data-job")) ?? "";
    expect((await engine.get(id))?.payload).toMatchObject({ language: "deu" });

    await engine.cancel(id);
    await later.getByRole("button", { name: "Retry" }).click(patiently);
    await seen(later.getByText("waiting for a worker")).toBeVisible();
    await page.close();
    await waitingServer.stop();
  });
});

async function expectNoFindings(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axeFindings(page, colorScheme)).toEqual([]);
  }
}
