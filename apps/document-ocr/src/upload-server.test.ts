import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Listener } from "@lockstep/server";
import { testDatabase } from "@lockstep/test-support";
import { createEngine, type Engine } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DocumentOcrApp } from "./document-ocr-app.ts";
import { readDocumentOcrConfig } from "./document-ocr-config.ts";
import { textPdf } from "./test-support/made-pdfs.ts";
import { uploadServer } from "./upload-server.ts";

const db = testDatabase();
let root: string;
let app: DocumentOcrApp;
let engine: Engine;
let server: Listener;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "ocr-uploads-"));
  app = new DocumentOcrApp(readDocumentOcrConfig({ OCR_STORE_MIB: "8" }), async () => db.url);
  engine = createEngine({ databaseUrl: db.url, pipelines: [app.pipeline], logger: null });
  server = uploadServer({ engine, app, consoleFolder: null, tempFolder: root });
});
afterAll(async () => {
  await server.stop();
  await engine.stop();
  await app.close();
  await rm(root, { recursive: true });
});

function ask(path: string, init: RequestInit = {}, host = "127.0.0.1") {
  return server.fetch(new Request(`http://${host}${path}`, init));
}

async function upload(body: RequestInit["body"], headers: Record<string, string> = {}) {
  const init = { method: "POST", body, headers, duplex: "half" } as RequestInit;
  const answer = await ask("/app/documents?name=a.pdf", init);
  return { status: answer.status, said: (await answer.json()) as Record<string, unknown> };
}

/** As a browser sends it that does not say how much is coming. */
function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (stream) => stream.enqueue(Buffer.from("%PDF-1.7")),
    pull: (stream) => stream.enqueue(new Uint8Array(1_048_576)),
  });
}

test("an upload is stored and becomes a job; the same one again, while it waits, is the same job", async () => {
  const body = await textPdf(["hello"]);
  const first = await upload(body);
  expect(first).toMatchObject({ status: 201, said: { created: true } });
  expect(await upload(body)).toMatchObject({ said: { id: first.said.id, created: false } });
  const view = await (await ask(`/app/documents/${first.said.id}`)).json();
  expect(view).toMatchObject({ name: "a.pdf", status: "pending", stage: "extraction" });
  expect(await (await ask("/app/documents")).json()).toEqual({ ids: [first.said.id] });
});

test("what is larger than 25 MiB is refused, whether it says so or not", async () => {
  const sentence = expect.stringContaining("larger than 25 MiB");
  const size = { "content-length": String(25 * 1_048_576 + 1) };
  expect(await upload("%PDF-1.7", size)).toEqual({ status: 413, said: { error: sentence } });
  expect(await upload(endless())).toEqual({ status: 413, said: { error: sentence } });
  expect(await readdir(root)).toEqual([]);
});

test("what is no PDF, or nothing, is refused", async () => {
  expect(await upload("PK\u0003\u0004 an archive")).toMatchObject({ status: 415 });
  expect(await upload("")).toMatchObject({
    status: 422,
    said: { error: "The document is empty: it has no bytes." },
  });
});

test("what does not fit into the store is refused with what can be done", async () => {
  const large = Buffer.concat([Buffer.from("%PDF-1.7"), Buffer.alloc(8_000_000)]);
  expect(await upload(large)).toMatchObject({
    status: 507,
    said: { error: expect.stringContaining("OCR_STORE_MIB") },
  });
});

test("the page comes under a policy that lets it run nothing of others", async () => {
  for (const path of ["/", "/page.js", "/page.css"]) {
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(await answer.text()).not.toMatch(/<style|style=|onclick=|unsafe/);
  }
});

test("pages elsewhere, other names of this machine and other paths get nothing", async () => {
  const origin = { origin: "https://example.com" };
  expect((await ask("/app/documents", { method: "POST", headers: origin, body: "%PDF-" })).status).toBe(403);
  expect((await ask("/app/documents", {}, "rebound.example.com")).status).toBe(403);
  for (const path of [
    "/package.json",
    "/../package.json",
    "/app/documents/x",
    "/app/documents/x/pdf",
    "/app/x",
  ]) {
    expect((await ask(path)).status).toBe(404);
  }
});
