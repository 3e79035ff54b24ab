// Real processes and a real signal: what a killed worker leaves behind cannot be had otherwise.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChildProgram, childProgram, testDatabase, untilBlocked } from "@lockstep/test-support";
import { createEngine, type Engine } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DocumentOcrApp } from "./document-ocr-app.ts";
import { readDocumentOcrConfig } from "./document-ocr-config.ts";
import { textPdf } from "./test-support/made-pdfs.ts";
import { uploadServer } from "./upload-server.ts";

const db = testDatabase();
const worker = new URL("./ocr-worker.ts", import.meta.url).href;
let root: string;
let app: DocumentOcrApp;
let engine: Engine;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "ocr-dies-"));
  app = new DocumentOcrApp(readDocumentOcrConfig({}), async () => db.url);
  engine = createEngine({ databaseUrl: db.url, pipelines: [app.pipeline], logger: null });
});
afterAll(async () => {
  await engine.stop();
  await app.close();
  await rm(root, { recursive: true });
});

function aWorker(): ChildProgram {
  return childProgram(`await import(${JSON.stringify(worker)}); console.log("started")`, {
    env: { DATABASE_URL: db.url, OCR_TEMP_FOLDER: root },
  });
}

async function upload(pages: readonly string[]): Promise<string> {
  const server = uploadServer({ engine, app, consoleFolder: null, tempFolder: root });
  const request = new Request("http://127.0.0.1/app/documents", {
    method: "POST",
    body: await textPdf(pages),
  });
  const { id } = (await (await server.fetch(request)).json()) as { id: string };
  await server.stop();
  return id;
}

const readPages = (id: string) =>
  db.query<{ page: number; pid: number }>(
    "select page, split_part(read_by, ':', 2)::int as pid from document_ocr.pages where job_id = $1 order by page",
    [id],
  );

test("another worker goes on where a killed one was, and takes its folders away", {
  timeout: 180_000,
}, async () => {
  const id = await upload(["one", "two", "three", "four", "five"]);
  // Somebody is writing the third page, and whoever wants to write it too has to wait.
  const [{ sha256 } = { sha256: "" }] = await db.query<{ sha256: string }>(
    "select sha256 from document_ocr.files",
  );
  const other = await db.connect();
  const reading = app.reading.keyFor(null);
  await other.query("begin");
  await other.query(
    "insert into document_ocr.pages (sha256, reading, page, content, job_id, read_by) values ($1, $2, 3, '{}', $3, '')",
    [sha256, reading, id],
  );
  const first = aWorker();
  await first.nextLine();
  await expect.poll(async () => (await readPages(id)).length, { timeout: 120_000 }).toBe(2);
  await untilBlocked(db);
  expect(await readdir(root)).toHaveLength(1);
  first.kill("SIGKILL");
  await first.ended;
  // The third page was on its way into the database when its reader died, and arrives.
  await other.query("rollback");
  await db.timePasses(60_000);

  const second = aWorker();
  const result = await engine.result(id, { timeoutMs: 120_000 });
  expect(result).toMatchObject({ reading: { pagesFoundRead: 3 }, document: { pages: 5 } });
  const pids = (await readPages(id)).map(({ pid }) =>
    pid === first.pid ? "first" : pid === second.pid && "second",
  );
  expect(pids).toEqual(["first", "first", "first", "second", "second"]);
  const job = await engine.get(id);
  expect(job?.attempts.filter(({ stage }) => stage === "ocr").map(({ outcome }) => outcome)).toEqual([
    "lost",
    "done",
  ]);

  second.kill("SIGTERM");
  expect(await second.ended).toMatchObject({ code: 0 });
  expect(await readdir(root)).toEqual([]);
});
