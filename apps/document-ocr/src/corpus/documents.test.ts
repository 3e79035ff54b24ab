import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { corpusDocuments, documentKinds } from "./documents.ts";
import { poisonFiles } from "./poison.ts";

test("the corpus has at least forty documents, of every kind, each with a name of its own", () => {
  const documents = corpusDocuments();
  expect(documents.length).toBeGreaterThanOrEqual(40);
  expect(new Set(documents.map(({ kind }) => kind))).toEqual(new Set(documentKinds));
  expect(new Set(documents.map(({ name }) => name)).size).toBe(documents.length);
  expect(documents.find(({ kind }) => kind === "long")?.truth).toHaveLength(30);
  expect(new Set(poisonFiles.map(({ name }) => name)).size).toBe(poisonFiles.length);
});

test("the same document is made every time", async () => {
  const digests = await Promise.all(
    [corpusDocuments(), corpusDocuments()].map(async (documents) => {
      const bytes = await documents.find(({ name }) => name === "letters-1")?.make();
      return createHash("sha256")
        .update(bytes ?? "")
        .digest("hex");
    }),
  );
  expect(digests[0]).toBe(digests[1]);
});
