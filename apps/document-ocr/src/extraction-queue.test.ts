import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestEngine, type TestEngine } from "@lockstep/testing";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { DocumentOcrApp } from "./document-ocr-app.ts";
import { readDocumentOcrConfig } from "./document-ocr-config.ts";
import { chooseReading } from "./services/choose-reading.ts";
import { textPdf } from "./test-support/made-pdfs.ts";
import { type RegisterServer, startRegister } from "./test-support/register-server.ts";

// Each stage starts a process that reads.
const limit = 120_000;

// As they stand in the document.
const activeWorkers = `SELECT ocr_worker_id,
         COUNT(*) as active_jobs,
         MIN(ocr_started_at) as oldest_job,
         MAX(ocr_started_at) as newest_job
  FROM extraction_queue
  WHERE status_id = 4
  GROUP BY ocr_worker_id;`;
const staleJobs = `SELECT * FROM extraction_queue
 WHERE status_id = 4
   AND ocr_started_at < NOW() - INTERVAL '10 minutes'`;

let root: string;
let register: RegisterServer;
let app: DocumentOcrApp;
let stranger: DocumentOcrApp;
let tested: TestEngine;
let sql: pg.Pool;
/** What is looked at while a document is read. */
let whileReading: () => Promise<void> = async () => {};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "ocr-queue-"));
  register = await startRegister({ user: "clerk", password: "s3cret" });
  register.documents.set("17", { name: "Deed.pdf", bytes: await textPdf(["The deed of the mill."]) });
  const settings = { OCR_REGISTER_URL: register.url, OCR_REGISTER_USER: "clerk" };
  const config = readDocumentOcrConfig({ ...settings, OCR_REGISTER_PASSWORD: "s3cret" });
  const reading = chooseReading(config);
  const appOf = (password: string) =>
    new DocumentOcrApp(
      readDocumentOcrConfig({ ...settings, OCR_REGISTER_PASSWORD: password }),
      async () => tested.databaseUrl,
      {
        reading: {
          ...reading,
          read: async (options) => {
            await whileReading();
            return reading.read(options);
          },
        },
      },
    );
  [app, stranger] = [appOf("s3cret"), appOf("wrong")];
  tested = await createTestEngine({
    pipelines: [app.pipeline],
    databaseUrl: inject("serverUrl"),
    handlerLimitMs: 60_000,
    settings: { tempRoot: root },
  });
  sql = new pg.Pool({ connectionString: tested.databaseUrl, max: 2 });
});
afterAll(async () => {
  await sql.end();
  await app.close();
  await stranger.close();
  await tested.stop();
  await register.stop();
  await rm(root, { recursive: true, force: true });
});

const rowOf = async (id: string) =>
  (await sql.query("select * from extraction_queue where id = $1", [id])).rows[0];

test(
  "a document of the register goes through the document's statuses, and its queries run unchanged",
  async () => {
    await app.prepare();
    const { id } = await tested.add(app.pipeline, { source: "register:17/Deed.pdf" });
    expect(await rowOf(id)).toMatchObject({ status_id: 1, ocr_worker_id: null, ocr_attempts: 0 });

    const seen: unknown[] = [];
    let reads = 0;
    whileReading = async () => {
      reads += 1;
      seen.push((await sql.query(activeWorkers)).rows, (await sql.query(staleJobs)).rows, await rowOf(id));
      if (reads === 1) throw new Error("OCR processing failed: API rate limit");
    };
    await tested.runDue();
    expect(await rowOf(id)).toMatchObject({
      status_id: 3,
      ocr_worker_id: null,
      ocr_attempts: 1,
      ocr_max_attempts: 3,
      error_message: null,
      ocr_error: "OCR processing failed: API rate limit",
    });
    await tested.runToEnd(id);
    whileReading = async () => {};

    const [workers, stale, row] = seen;
    expect(workers).toEqual([
      {
        ocr_worker_id: expect.any(String),
        active_jobs: "1",
        oldest_job: expect.any(Date),
        newest_job: expect.any(Date),
      },
    ]);
    // The clock of this engine stands at an earlier day than PostgreSQL's.
    expect(stale).toMatchObject([{ id }]);
    expect(row).toMatchObject({ status_id: 4, ocr_attempts: 1, ocr_started_at: expect.any(Date) });
    expect(await rowOf(id)).toMatchObject({ status_id: 5, ocr_worker_id: null, ocr_attempts: 2 });
    expect((await sql.query(activeWorkers)).rows).toEqual([]);
  },
  limit,
);

test(
  "a wrong password is the document's error_message, and no error of OCR",
  async () => {
    const refused = await createTestEngine({
      pipelines: [stranger.pipeline],
      databaseUrl: inject("serverUrl"),
      handlerLimitMs: 60_000,
      settings: { tempRoot: root },
    });
    const own = new pg.Pool({ connectionString: refused.databaseUrl, max: 1 });
    const away = new DocumentOcrApp(readDocumentOcrConfig({}), async () => refused.databaseUrl);
    try {
      await away.prepare();
      const { id } = await refused.add(stranger.pipeline, { source: "register:17" });
      await refused.runToEnd(id);
      expect((await own.query("select * from extraction_queue")).rows).toMatchObject([
        {
          id,
          status_id: 6,
          error_message: expect.stringContaining("Failed to login to the register"),
          ocr_error: null,
          ocr_attempts: 0,
        },
      ]);
    } finally {
      await own.end();
      await away.close();
      await refused.stop();
    }
  },
  limit,
);

test("who was not let in reads nothing, and a table of somebody else's stays", async () => {
  await sql.query("create role queue_guest; grant select on public.extraction_queue to queue_guest");
  const client = await sql.connect();
  try {
    await client.query("set role queue_guest");
    await expect(client.query("select * from extraction_queue")).rejects.toThrow(/permission denied/);
  } finally {
    await client.query("reset role");
    client.release();
    await sql.query("drop owned by queue_guest; drop role queue_guest");
  }
  await sql.query("drop view public.extraction_queue; create table public.extraction_queue (mine text)");
  await app.close();
  await app.prepare();
  expect((await sql.query("select * from public.extraction_queue")).fields).toMatchObject([{ name: "mine" }]);
});
