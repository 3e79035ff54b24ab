import { writeFile } from "node:fs/promises";
import type { ReadingTask } from "../child-protocol.ts";
import { pngOf } from "./image/png.ts";
import { drawPage } from "./pdf/draw-page.ts";
import { openPdf } from "./pdf/pdf-document.ts";
import { withPage } from "./pdf/pdf-page.ts";

/** Draws one page, for people to look at. */
export async function drawTask(task: Extract<ReadingTask, { task: "draw" }>): Promise<void> {
  const document = await openPdf(task.file, task.limits);
  const image = withPage(document, task.page, (page) => drawPage(page, task.dpi));
  await writeFile(task.outputFile, pngOf(image));
}
