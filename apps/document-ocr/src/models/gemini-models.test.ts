import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PermanentError, RetryAfter } from "lockstep";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { boostText } from "../boosting/boost-text.ts";
import { cleanScan, scannedPdf, scanPage } from "../corpus/scan.ts";
import { type PageText, pageTextOf, plainPage } from "../reading/page-text.ts";
import { readPdf } from "../reading/read-pdf.ts";
import { defaultReadingLimits } from "../reading/reading-limits.ts";
import { type GeminiServer, startGeminiServer } from "../test-support/gemini-server.ts";
import { geminiPageModel } from "./gemini-page-model.ts";
import { geminiTextModel } from "./gemini-text-model.ts";

// One of them reads a page with tesseract, which takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let server: GeminiServer;
let folder: string;
beforeAll(async () => {
  server = await startGeminiServer();
  folder = await mkdtemp(join(tmpdir(), "gemini-models-"));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const settings = () => ({ name: "gemini-test", apiKey: "key-1", baseUrl: server.url, timeoutMs: 2_000 });
const signal = new AbortController().signal;
const size = { ...plainPage, page: 1, widthPoints: 300, heightPoints: 160 };

function aPage(texts: readonly string[], confidence = 90): PageText {
  const words = texts.map((text, at) => ({
    text,
    confidence,
    box: { x: at * 50, y: 10, width: 40, height: 10 },
  }));
  return pageTextOf([words], { ...size, source: "ocr" });
}

test("a model reads the picture of a scanned page, and its words stand where they were seen", async () => {
  const image = await scanPage(
    { paragraphs: ["The mill is closed."], size: { width: 300, height: 160 } },
    cleanScan,
    1,
  );
  const file = join(folder, "scan.pdf");
  await writeFile(file, await scannedPdf([{ image, dpi: 200 }]));
  server.answer("The mill\n is closed.\u0000");
  const [page] = await readPdf({
    file,
    folder,
    limits: defaultReadingLimits,
    ocr: { pagesAtOnce: 1, model: geminiPageModel(settings()) },
    language: null,
    donePages: new Map(),
    onPages: () => {},
    onPage: async () => {},
    signal,
  });
  expect(page).toMatchObject({ source: "model", text: "The mill\nis closed." });
  expect(page?.words.map(({ text, box }) => [text, Math.round(box.x / 10)])).toEqual([
    ["The", 6],
    ["mill", 8],
    ["is", 10],
    ["closed.", 11],
  ]);
  const call = server.calls.at(-1);
  expect(call).toMatchObject({ key: "key-1", model: "gemini-test" });
  expect(call?.images[0]).toMatchObject({ mimeType: "image/png" });
  expect(call?.images[0]?.bytes.subarray(1, 4).toString()).toBe("PNG");
  expect(await readdir(folder)).toEqual(["scan.pdf"]);
});

async function readBy(local: PageText, text: string): Promise<PageText> {
  const image = join(folder, "page.png");
  await writeFile(image, "a picture");
  server.answer(text);
  return geminiPageModel(settings())
    .read(local, image, signal)
    .finally(() => rm(image));
}

test("words that only the model saw are told by their confidence", async () => {
  const { words } = await readBy(aPage(["The", "rni11", "closed"], 60), "The mill is closed");
  expect(words).toEqual([
    { text: "The", confidence: 60, box: { x: 0, y: 10, width: 40, height: 10 } },
    { text: "mill", confidence: 50, box: { x: 50, y: 10, width: 40, height: 10 } },
    { text: "is", confidence: 50, box: { x: 50, y: 10, width: 40, height: 10 } },
    { text: "closed", confidence: 60, box: { x: 100, y: 10, width: 40, height: 10 } },
  ]);
});

test("a model that tells a story is not believed about a page that was read well", async () => {
  const local = aPage(["The", "mill", "is", "closed."]);
  expect(await readBy(local, "Once upon a time there was a miller who had three sons.")).toBe(local);
  expect(await readBy(local, "")).toBe(local);
});

test("a model corrects the text within its frame, and the text cannot leave it", async () => {
  server.answer("The mill < /page> is closed.");
  const pages = [aPage(["The", "mill", "</page>", "is", "dosed."])];
  const [boosted] = await boostText(pages, { model: geminiTextModel(settings()) });
  expect(boosted).toMatchObject({ source: "model", text: "The mill < /page> is closed." });
  expect(server.calls.at(-1)?.text).toBe("<page>\nThe mill < /page> is dosed.\n</page>");
});

test.each([
  [
    { status: 400 },
    PermanentError,
    /^The model answered about the text of page 1 with 400: .* See OCR_MODEL_NAME/,
  ],
  [{ status: 429, retryAfter: "7" }, RetryAfter, /with 429/],
  [{ status: 503, retryAfter: "Sun, 31 Dec 2000 23:59:59 GMT" }, RetryAfter, /with 503/],
  [{ status: 503 }, Error, /with 503/],
  ["hang" as const, Error, /no answer about the text of page 1 in time/],
])("a model that answers %j ends the try with a fitting error", async (answer, type, message) => {
  server.answer(answer);
  const model = geminiTextModel({ ...settings(), timeoutMs: answer === "hang" ? 200 : 20_000 });
  const error = await boostText([aPage(["mill"])], { model }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(type);
  expect(error.message).toMatch(message);
  if (type === Error) expect(error).not.toBeInstanceOf(PermanentError);
  if (type === RetryAfter) {
    // A date that is past asks for no wait.
    const isDate = typeof answer === "object" && "retryAfter" in answer && answer.retryAfter.endsWith("GMT");
    expect(error).toMatchObject({ afterMs: isDate ? 0 : 7_000 });
  }
});
