import { readFile, writeFile } from "node:fs/promises";
import { degrees, PDFDocument } from "@cantoo/pdf-lib";
import type { ReadingTask } from "../../reading/child-protocol.ts";
import { addWords } from "./add-words.ts";
import { invisibleFont } from "./invisible-font.ts";
import { straighten } from "./straighten.ts";

/** Lays the words over the pages they were read from, and turns pages upright: so it can be searched and copied from. */
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
  for (const seen of pages) {
    const page = document.getPage(seen.page - 1);
    if (seen.source !== "text-layer") {
      addWords(page, seen, font);
      straighten(page, seen);
    }
    page.setRotation(degrees(page.getRotation().angle - seen.rotationDegrees));
  }
  await writeFile(outputFile, await document.save());
}
