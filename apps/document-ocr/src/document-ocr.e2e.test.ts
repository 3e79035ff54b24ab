import { mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestEngine, type TestEngine } from "@lockstep/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { poisonFiles } from "./corpus/poison.ts";
import { DocumentOcrApp } from "./document-ocr-app.ts";
import { type DocumentOcrConfig, readDocumentOcrConfig } from "./document-ocr-config.ts";
import { chooseReading } from "./services/choose-reading.ts";
import { documentView } from "./services/document-view.ts";
import { textAndScanPdf, textPdf } from "./test-support/made-pdfs.ts";
import { uploadServer } from "./upload-server.ts";

// Each stage starts a process that reads: on a machine with other work that takes its time.
const limit = 120_000;
let root: string;
let folder: string;
let site: Server;
let siteUrl: string;
let config: DocumentOcrConfig;
let app: DocumentOcrApp;
let tested: TestEngine;
/** The numbers of the pages that each try has read. */
const tries: number[][] = [];
let pagesUntilCrash = Number.POSITIVE_INFINITY;
const answers = new Map<string, { status?: number; type?: string; body: Uint8Array }>();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "ocr-e2e-"));
  folder = await mkdtemp(join(tmpdir(), "ocr-folder-"));
  site = createServer((request, response) => {
    const {
      status = 200,
      type = "application/pdf",
      body,
    } = answers.get(request.url ?? "") ?? {
      status: 404,
      body: Buffer.from("nothing"),
    };
    response.writeHead(status, { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const { port } = site.address() as AddressInfo;
  siteUrl = `http://127.0.0.1:${port}`;
  config = readDocumentOcrConfig({ OCR_FETCH_ALLOW: `127.0.0.1:${port}`, OCR_WATCH_FOLDER: folder });
  const reading = chooseReading(config);
  app = new DocumentOcrApp(config, async () => tested.databaseUrl, {
    // The real reading; what it hands over is counted, and stops where a test says so.
    reading: {
      ...reading,
      read: (options) => {
        const read: number[] = [];
        tries.push(read);
        return reading.read({
          ...options,
          onPage: async (page) => {
            if (read.length === pagesUntilCrash) throw new Error("the disk is full");
            read.push(page.page);
            await options.onPage(page);
          },
        });
      },
    },
  });
  tested = await createTestEngine({
    pipelines: [app.pipeline],
    databaseUrl: inject("serverUrl"),
    handlerLimitMs: 60_000,
    settings: { tempRoot: root },
  });
});

afterAll(async () => {
  await app.close();
  await tested.stop();
  site.close();
  expect(await readdir(root)).toEqual([]);
  await Promise.all([root, folder].map((each) => rm(each, { recursive: true })));
});

const run = async (source: string) => tested.runToEnd((await tested.add(app.pipeline, { source })).id);

/** Nothing of a try is left; the folder of the process goes when its engine stops. */
async function leftFolders(): Promise<string[]> {
  const own = await readdir(root);
  return (await Promise.all(own.map((name) => readdir(join(root, name))))).flat();
}

test(
  "an upload becomes a searchable PDF, a text and JSON with boxes, and its folders are gone",
  async () => {
    const server = uploadServer({ engine: tested.engine, app, consoleFolder: null, tempFolder: root });
    const ask = (path: string, init?: RequestInit) =>
      server.fetch(new Request(`http://127.0.0.1${path}`, init));
    const body = await textAndScanPdf("Typed by a machine.", ["Scanned from paper", "on the second page"]);
    const taken = await ask("/app/documents?name=two%20pages.pdf", { method: "POST", body });
    const { id } = (await taken.json()) as { id: string };
    const job = await tested.runToEnd(id);
    expect(job).toMatchObject({
      status: "completed",
      result: {
        document: { name: "two pages.pdf", pages: 2 },
        reading: { pagesBySource: { "text-layer": 1, ocr: 1 }, pagesFoundRead: 0 },
      },
    });

    const [pdf, text, json] = await Promise.all(
      ["pdf", "text", "json"].map(async (kind) => ask(`/app/documents/${id}/${kind}`)),
    );
    expect(pdf?.headers.get("content-disposition")).toContain("two%20pages.searchable.pdf");
    expect(await text?.text()).toMatch(/Typed by a machine\.[\s\S]*Scanned from paper\s+on the second page/);
    expect(JSON.stringify(await json?.json())).toMatch(/"text":"Scanned","confidence":\d+[^}]*"box":{"x":\d/);

    // Read once more, what was a picture has a text layer now.
    const file = join(folder, "searchable.pdf");
    await writeFile(file, new Uint8Array((await pdf?.arrayBuffer()) ?? []));
    const { signal } = new AbortController();
    const pages = await chooseReading(config).read({
      ...{ file, folder, signal, donePages: new Map(), language: null },
      onPage: async () => {},
    });
    expect(pages.map(({ source }) => source)).toEqual(["text-layer", "text-layer"]);
    expect(pages[1]?.text).toContain("Scanned from paper");
    expect(await leftFolders()).toEqual([]);
    await server.stop();
  },
  limit,
);

test(
  "a retry goes on at the next page, errors stay apart by stage, and what was read is not read again",
  async () => {
    answers.set("/five.pdf", { status: 503, body: Buffer.from("later") });
    const { id } = await tested.add(app.pipeline, { source: `${siteUrl}/five.pdf` });
    await tested.runDue();
    answers.set("/five.pdf", { body: await textPdf(["one", "two", "three", "four", "five"]) });
    tries.length = 0;
    pagesUntilCrash = 2;
    await tested.clock.advance(60_000);
    await tested.runDue();
    pagesUntilCrash = Number.POSITIVE_INFINITY;
    const job = await tested.runToEnd(id);

    expect(tries).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    expect(job).toMatchObject({ status: "completed", result: { reading: { pagesFoundRead: 2 } } });
    expect(documentView((await tested.engine.get(id)) ?? job)).toMatchObject({
      name: "five.pdf",
      pages: 5,
      stages: [
        { name: "extraction", tries: 2, errors: [{ attempt: 1, message: expect.stringContaining("503") }] },
        { name: "ocr", tries: 2, errors: [{ attempt: 1, message: "the disk is full" }] },
        { name: "boost", state: "done", errors: [] },
      ],
    });

    const again = await run(`${siteUrl}/five.pdf`);
    expect(again.result).toMatchObject({ reading: { pagesFoundRead: 5 } });
    expect(tries[2]).toEqual([]);
    expect(await leftFolders()).toEqual([]);
  },
  limit,
);

test.each([
  ["wrong-type", "not a PDF"],
  ["password", "password"],
  ["truncated", "cut off"],
  ["no-pages", "no pages"],
])(
  "a document of the kind %s fails for good at extraction, with a sentence",
  async (kind, sentence) => {
    const bytes = await poisonFiles.find(({ name }) => name === kind)?.make();
    await writeFile(join(folder, "bad.pdf"), bytes ?? "");
    const job = await run("folder:bad.pdf");
    expect(job).toMatchObject({ status: "failed", stage: "extraction", attempt: 1 });
    expect(job.errors[0]?.message).toContain(sentence);
    expect(await leftFolders()).toEqual([]);
  },
  limit,
);

test.each([
  ["a private address", () => "http://10.0.0.1/a.pdf", "not public"],
  ["another port of this machine", () => "http://127.0.0.1:9/a.pdf", "OCR_FETCH_ALLOW"],
  ["an address that is not there", () => `${siteUrl}/none.pdf`, "answers with 404"],
  ["another type", () => `${siteUrl}/page.html`, "text/html"],
  ["a link in the folder", () => "folder:link.pdf", "links are not followed"],
  ["a file that is not there", () => "folder:none.pdf", "it is not there"],
])("%s is refused for good", async (_what, source, sentence) => {
  answers.set("/page.html", { type: "text/html", body: Buffer.from("<p>") });
  await symlink("/etc/hostname", join(folder, "link.pdf")).catch(() => {});
  const job = await run(source());
  expect(job).toMatchObject({ status: "failed", stage: "extraction", attempt: 1 });
  expect(job.errors[0]?.message).toContain(sentence);
});
