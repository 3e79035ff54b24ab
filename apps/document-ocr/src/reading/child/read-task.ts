import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReadingMessage, ReadingTask } from "../child-protocol.ts";
import type { Language } from "../languages.ts";
import { pageTextOf } from "../page-text.ts";
import type { ReadingLimits } from "../reading-limits.ts";
import type { GrayImage } from "./image/gray-image.ts";
import { pngOf } from "./image/png.ts";
import { drawPage } from "./pdf/draw-page.ts";
import { imageAreas } from "./pdf/image-areas.ts";
import { mergeTextLayer } from "./pdf/merge-text-layer.ts";
import { isGarbage, needsOcr } from "./pdf/needs-ocr.ts";
import { openPdf, type PdfDocument } from "./pdf/pdf-document.ts";
import { withPage } from "./pdf/pdf-page.ts";
import { noText, readTextLayer, type TextLayer } from "./pdf/text-layer.ts";
import { Refusal } from "./refusal.ts";
import { readImage, type SeenPage } from "./words/read-image.ts";
import { tesseractReader } from "./words/tesseract.ts";

type ReadTask = Extract<ReadingTask, { task: "read" }>;

/** Reads the pages that are not done, several at once, and says each as soon as it is read. */
export async function readTask(task: ReadTask, say: (message: ReadingMessage) => void): Promise<void> {
  const { limits, folder } = task;
  const document = await openPdf(task.file, limits);
  say({ kind: "pages", count: document.pageCount });
  const done = new Set(task.donePages);
  const waiting = Array.from({ length: document.pageCount }, (_, index) => index + 1).filter(
    (page) => !done.has(page),
  );
  let textBytes = 0;
  let usual: Language = "eng";

  const readInTurn = async () => {
    const reader = tesseractReader();
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
      say({ kind: "page-started", page });
      const { size, layer, image } = lookAtPage(document, page, limits);
      let [found, imageFile]: [SeenPage, string | null] = [layer, null];
      if (image !== null) {
        const seen = await readImage(image, {
          dpi: limits.dpi,
          language: task.language ?? usual,
          isLanguageDecided: task.language !== null,
          reader,
        });
        // Most documents are in one language: the next page is first read in that of this one.
        usual = seen.language ?? usual;
        found = mergeTextLayer(seen, layer);
        if (task.wantsImages) {
          imageFile = join(folder, `page-${page}.png`);
          await writeFile(imageFile, pngOf(image));
        }
      }
      const { lines, ...rest } = found;
      const source = image === null ? "text-layer" : "ocr";
      const read = pageTextOf(lines, { ...size, ...rest, page, source });
      textBytes += Buffer.byteLength(read.text);
      if (textBytes > limits.mostTextBytes) throw tooMuchText(limits.mostTextBytes);
      say({ kind: "page", page: read, imageFile });
    }
  };
  await Promise.all(Array.from({ length: Math.min(task.pagesAtOnce, waiting.length) }, readInTurn));
}

interface LookedAtPage {
  readonly size: { readonly widthPoints: number; readonly heightPoints: number };
  readonly layer: Omit<TextLayer, "garbageShare">;
  /** Null where the text layer is enough. */
  readonly image: GrayImage | null;
}

function lookAtPage(document: PdfDocument, number: number, limits: ReadingLimits): LookedAtPage {
  return withPage(document, number, (page) => {
    const size = { widthPoints: page.widthPoints, heightPoints: page.heightPoints };
    const found = readTextLayer(page, limits.mostWordsPerPage);
    const { garbageShare: _, ...layer } = isGarbage(found) ? noText : found;
    const image = needsOcr(found, imageAreas(page), size) ? drawPage(page, limits.dpi) : null;
    return { size, layer, image };
  });
}

function tooMuchText(mostBytes: number): Refusal {
  return new Refusal(
    "too_much_text",
    `The document holds more than ${Math.round(mostBytes / 1024)} KiB of text. Split it and add the parts.`,
  );
}
