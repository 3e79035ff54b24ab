import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { poisonFiles } from "../../../corpus/poison.ts";
import { onePage, rawPdf, rawStream } from "../../../corpus/raw-pdf.ts";
import { defaultReadingLimits } from "../../reading-limits.ts";
import { openPdf } from "./pdf-document.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "open-pdf-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function open(bytes: Uint8Array, limits = defaultReadingLimits) {
  const file = join(folder, "document.pdf");
  await writeFile(file, bytes);
  return openPdf(file, limits);
}

test.each(poisonFiles.filter(({ shownBy }) => shownBy === "inspecting"))(
  "$name is refused as $refusal, and told what to do",
  async ({ make, refusal }) => {
    const error = await open(await make()).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "Refusal", code: refusal });
    expect(error.message).toMatch(/^[A-Z].*\. .*add (it|the document) again\.$|add the parts\.$/);
  },
);

test("pages that are large only together are refused too", async () => {
  const limits = { ...defaultReadingLimits, mostDocumentPixels: 3_000_000 };
  const bytes = rawPdf([...onePage(), rawStream("", Buffer.from("BT ET"))]);
  await expect(open(bytes, limits)).rejects.toMatchObject({ code: "document_too_large" });
});

test.each([
  ["a table that names itself as the one before", (bytes: Buffer) => bytes],
  [
    "a table that is nowhere",
    (bytes: Buffer) =>
      Buffer.from(bytes.toString("latin1").replace(/startxref\n\d+/, "startxref\n99999999"), "latin1"),
  ],
])("%s does not keep a document from being opened", async (_, damage) => {
  const plain = rawPdf([...onePage(), rawStream("", Buffer.from("BT ET"))]);
  const table = plain.indexOf("xref");
  const looped = rawPdf([...onePage(), rawStream("", Buffer.from("BT ET"))], { trailer: `/Prev ${table}` });
  expect(await open(damage(looped))).toMatchObject({ pageCount: 1 });
});
