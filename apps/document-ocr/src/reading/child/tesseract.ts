import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import Tesseract from "tesseract.js";
import { type GrayImage, pgmOf } from "./gray-image.ts";

/** A word where it stands in the picture, in pixels. */
export interface SeenWord {
  readonly text: string;
  readonly confidence: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Line by line. */
export type SeenLines = readonly (readonly SeenWord[])[];

export interface ImageReader {
  read(image: GrayImage, dpi: number): Promise<SeenLines>;
}

const languageFolder = join(
  dirname(createRequire(import.meta.url).resolve("@tesseract.js-data/eng/package.json")),
  "4.0.0_best_int",
);

/** Starts tesseract in a thread of its own, with the language data of its npm package and nothing from elsewhere. */
export async function startTesseract(): Promise<ImageReader> {
  const worker = await new Promise<Tesseract.Worker>((resolve, reject) => {
    Tesseract.createWorker("eng", Tesseract.OEM.LSTM_ONLY, {
      langPath: languageFolder,
      gzip: true,
      cacheMethod: "none",
      // Its own promise stays open forever when the language cannot be loaded; only this hears of it.
      errorHandler: (error) => reject(new Error(`Tesseract: ${error}`)),
    }).then(resolve, reject);
  });
  return {
    async read(image, dpi) {
      await worker.setParameters({ user_defined_dpi: String(dpi) });
      const { data } = await worker.recognize(pgmOf(image), {}, { text: false, blocks: true });
      return linesOf(data.blocks ?? []);
    },
  };
}

function linesOf(blocks: readonly Tesseract.Block[]): SeenLines {
  return blocks
    .flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines))
    .map(({ words }) =>
      words
        .filter(({ text }) => text.trim() !== "")
        .map(({ text, confidence, bbox }) => ({
          text: text.trim(),
          confidence,
          left: bbox.x0,
          top: bbox.y0,
          right: bbox.x1,
          bottom: bbox.y1,
        })),
    )
    .filter((words) => words.length > 0);
}
