import { readFile, writeFile } from "node:fs/promises";
import { PDFDocument } from "pdf-lib";
import type { ReadingTask } from "../../reading/child-protocol.ts";
import { addWords } from "./add-words.ts";
import { invisibleFont } from "./invisible-font.ts";

/** Lays the words over the pages they were read from, so that the document can be searched and copied from. */
export async function buildTask({
  file,
  pages,
  outputFile,
}: Extract<ReadingTask, { task: "build" }>): Promise<void> {
  const original = await readFile(file);
  if (pages.length === 0) {
    await writeFile(outputFile, original);
    return;
  }
  const document = await PDFDocument.load(original, { updateMetadata: false });
  const font = invisibleFont(document.context);
  for (const page of pages) addWords(document.getPage(page.page - 1), page, font);
  await writeFile(outputFile, await document.save());
}
