import { createTestEngine, type TestEngine } from "@lockstep/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { DocumentOcrApp } from "./document-ocr-app.ts";
import { readDocumentOcrConfig } from "./document-ocr-config.ts";
import { chooseReading } from "./services/choose-reading.ts";
import { type GeminiServer, startGeminiServer } from "./test-support/gemini-server.ts";

let gemini: GeminiServer;
let tested: TestEngine;
let app: DocumentOcrApp;
let builds = 0;

beforeAll(async () => {
  gemini = await startGeminiServer();
  const config = readDocumentOcrConfig({
    GOOGLE_GENERATIVE_AI_API_KEY: "key",
    OCR_MODEL_BASE_URL: gemini.url,
    OCR_MODEL_NAME: "gemini-test",
  });
  const reading = chooseReading(config);
  app = new DocumentOcrApp(config, async () => tested.databaseUrl, {
    reading: {
      ...reading,
      build: (options) => {
        builds += 1;
        return builds === 1 ? Promise.reject(new Error("the disk is full")) : reading.build(options);
      },
    },
  });
  tested = await createTestEngine({
    pipelines: [app.pipeline],
    databaseUrl: inject("serverUrl"),
    handlerLimitMs: 60_000,
  });
});
afterAll(async () => {
  await app.close();
  await tested.stop();
  await gemini.stop();
});

test("a retry asks the model nothing that it was paid for already", { timeout: 120_000 }, async () => {
  gemini.answer("This is another text, which stands on no page.");
  const { id } = await tested.add(app.pipeline, { source: "sample:letter.pdf" });
  const job = await tested.runToEnd(id);
  expect(job).toMatchObject({ status: "completed", attempts: { length: 4 } });
  const asked = gemini.calls.map(({ images, text }) => (images.length > 0 ? "picture" : text.slice(0, 40)));
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked).toContain("picture");
  // What it made up is not taken.
  expect(JSON.stringify(job.result)).not.toContain("stands on no page");
});
