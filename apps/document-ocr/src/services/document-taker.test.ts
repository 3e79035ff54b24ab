import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DocumentTaker, maxDocumentBytes } from "./document-taker.ts";

async function taken(chunks: Iterable<Buffer>) {
  const folder = await mkdtemp(join(tmpdir(), "ocr-taken-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return DocumentTaker.take(folder, async (take) => {
    for (const chunk of chunks) await take(chunk);
  });
}

test("what comes in pieces lies in a file, with the hash of its bytes", async () => {
  const { path, sha256, sizeBytes } = await taken([Buffer.from("%PD"), Buffer.from("F-1.7\n%%EOF")]);
  expect(await readFile(path, "utf8")).toBe("%PDF-1.7\n%%EOF");
  expect(sizeBytes).toBe(14);
  expect(sha256).toBe("d5db70fbccdd8ccc6a553604b79a09cd33083b401340d546efa08a52142c972e");
});

test("the mark of a PDF may stand anywhere in the first KiB, and not after it", async () => {
  const at = (place: number) =>
    taken([Buffer.alloc(place, " "), Buffer.from("%PDF-1.7"), Buffer.alloc(2_000)]);
  expect((await at(1_019)).sizeBytes).toBe(3_027);
  await expect(at(1_020)).rejects.toMatchObject({ reason: "not_a_pdf" });
});

test.each([
  ["a web page", "<!doctype html><p>Hello</p>", "The document is not a PDF"],
  ["nothing", "", "The document is empty"],
])("%s is refused", async (_what, text, sentence) => {
  await expect(taken(text === "" ? [] : [Buffer.from(text)])).rejects.toThrow(sentence);
});

test("what is too large is refused at the first byte too many", async () => {
  let given = 0;
  function* endless() {
    yield Buffer.from("%PDF-1.7");
    for (;;) {
      given += 1;
      yield Buffer.alloc(1_048_576);
    }
  }
  await expect(taken(endless())).rejects.toThrow("larger than 25 MiB");
  expect(given).toBe(maxDocumentBytes / 1_048_576);
});
