import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { FileStore } from "./file-store.ts";
import { OcrDatabase } from "./ocr-database.ts";

const db = testDatabase();
const mebibyte = 1_048_576;
let folder: string;
let tables: OcrDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ocr-store-"));
  tables = new OcrDatabase(async () => db.url);
  await tables.rows("select 1");
});
beforeEach(() => db.query("delete from document_ocr.files"));
afterAll(async () => {
  await tables.close();
  await rm(folder, { recursive: true });
});

const aStore = (quotaMib = 100) => new FileStore(tables, { quotaBytes: quotaMib * mebibyte, keepDays: 30 });

async function aFile(bytes: Buffer) {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const path = join(folder, sha256);
  await writeFile(path, bytes);
  return { path, sha256, sizeBytes: bytes.length };
}

test("a file of several pieces comes back as it was", async () => {
  const bytes = randomBytes(2.5 * mebibyte);
  const { sha256 } = await aStore().save(await aFile(bytes), "document");
  const copy = join(folder, "copy");
  await aStore().copyTo(sha256, copy);
  expect((await readFile(copy)).equals(bytes)).toBe(true);
});

test("the same bytes are kept once, also when two bring them at the same moment", async () => {
  const file = await aFile(randomBytes(1_000));
  await Promise.all([aStore().save(file, "document"), aStore().save(file, "document")]);
  await aStore().save(file, "document");
  expect(await db.query("select count(*)::int from document_ocr.file_pieces")).toEqual([{ count: 1 }]);
});

test("documents are refused when nine tenths are full, and results still find room", async () => {
  const [first, second, third] = [
    await aFile(randomBytes(0.85 * mebibyte)),
    await aFile(randomBytes(0.1 * mebibyte)),
    await aFile(randomBytes(0.2 * mebibyte)),
  ];
  await aStore(1).save(first, "document");
  await expect(aStore(1).save(second, "document")).rejects.toThrow("The store is full");
  await aStore(1).save(second, "result");
  await expect(aStore(1).save(third, "result")).rejects.toThrow("may take 1 MiB");
});

test("what nobody has used for long makes room", async () => {
  const [old, fresh] = [await aFile(randomBytes(800_000)), await aFile(randomBytes(800_000))];
  await aStore(1).save(old, "document");
  await db.query("update document_ocr.files set used_at = now() - interval '31 days'");
  await aStore(1).save(fresh, "document");
  await expect(aStore(1).copyTo(old.sha256, join(folder, "gone"))).rejects.toThrow("is not stored");
});
