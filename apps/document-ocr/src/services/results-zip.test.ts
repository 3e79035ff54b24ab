import type { Job } from "lockstep";
import { expect, test } from "vitest";
import { resultsZip } from "./results-zip.ts";

const jobNamed = (name: string) => {
  const files = { text: { sha256: "0".repeat(64), sizeBytes: 4 } };
  return { result: { document: { name }, files }, finishedAt: null, addedAt: new Date(0) } as unknown as Job;
};

/** The names of a zip's own list of its files. */
function namesIn(zip: Buffer): string[] {
  const names: string[] = [];
  for (let at = zip.indexOf("PK\x01\x02"); at !== -1; at = zip.indexOf("PK\x01\x02", at + 1)) {
    names.push(zip.toString("utf8", at + 46, at + 46 + zip.readUInt16LE(at + 28)));
  }
  return names;
}

test("names that differ only by case, or by how an accent is written, get folders of their own", async () => {
  const names = ["Invoice.pdf", "INVOICE.PDF", "invoice (2).pdf", "caf\u00e9.pdf", "CAFE\u0301.pdf"];
  const answer = resultsZip(names.map(jobNamed), {
    read: async function* () {
      yield Buffer.from("text");
    },
  });
  expect(namesIn(Buffer.from(await answer.arrayBuffer()))).toEqual([
    "Invoice/Invoice.txt",
    "INVOICE (2)/INVOICE.txt",
    "invoice (2) (2)/invoice (2).txt",
    "caf\u00e9/caf\u00e9.txt",
    "CAFE\u0301 (2)/CAFE\u0301.txt",
  ]);
});
