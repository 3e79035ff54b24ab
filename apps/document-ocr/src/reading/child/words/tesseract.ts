import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import Tesseract from "tesseract.js";
import type { Language } from "../../languages.ts";
import { type GrayImage, pgmOf } from "../image/gray-image.ts";

/** A word where it stands in the picture, in pixels. */
export interface SeenWord {
  readonly text: string;
  readonly confidence: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** How far down the line is that it stands on, at its left and at its right end. */
  readonly baseline: { readonly left: number; readonly right: number };
  readonly fontSize: number;
}

/** Line by line. */
export type SeenLines = readonly (readonly SeenWord[])[];

/** What a picture is: a page, or a line, a number or one figure that was cut out of it. */
export type Layout = "page" | "line" | "figures" | "figure";

export interface ImageReader {
  read(
    image: GrayImage,
    options: { readonly dpi: number; readonly language: Language; readonly layout?: Layout },
  ): Promise<SeenLines>;
}

const layouts: Readonly<Record<Layout, Partial<Tesseract.WorkerParams>>> = {
  page: { tessedit_pageseg_mode: Tesseract.PSM.AUTO, tessedit_char_whitelist: "" },
  line: { tessedit_pageseg_mode: Tesseract.PSM.SINGLE_LINE, tessedit_char_whitelist: "" },
  figures: {
    tessedit_pageseg_mode: Tesseract.PSM.SINGLE_WORD,
    tessedit_char_whitelist: "0123456789.,-+%/",
  },
  figure: { tessedit_pageseg_mode: Tesseract.PSM.SINGLE_CHAR, tessedit_char_whitelist: "0123456789" },
};
const packages = createRequire(import.meta.url);

/** Reads with tesseract, in a thread of its own, with the language data of npm packages and nothing from elsewhere. */
export function tesseractReader(): ImageReader {
  let running: { language: Language; worker: Tesseract.Worker } | undefined;
  const workerFor = async (language: Language): Promise<Tesseract.Worker> => {
    if (running?.language === language) return running.worker;
    // One language at a time: each takes some 100 MiB.
    await running?.worker.terminate();
    running = { language, worker: await startWorker(language) };
    return running.worker;
  };
  return {
    async read(image, { dpi, language, layout = "page" }) {
      const worker = await workerFor(language);
      await worker.setParameters({ user_defined_dpi: String(dpi), ...layouts[layout] });
      const { data } = await worker.recognize(pgmOf(image), {}, { text: false, blocks: true });
      return linesOf(data.blocks ?? []);
    },
  };
}

function startWorker(language: Language): Promise<Tesseract.Worker> {
  return new Promise((resolve, reject) => {
    Tesseract.createWorker(language, Tesseract.OEM.LSTM_ONLY, {
      langPath: join(
        dirname(packages.resolve(`@tesseract.js-data/${language}/package.json`)),
        "4.0.0_best_int",
      ),
      gzip: true,
      cacheMethod: "none",
      // Its own promise stays open forever when the language cannot be loaded; only this hears of it.
      errorHandler: (error) => reject(new Error(`Tesseract: ${error}`)),
    }).then(resolve, reject);
  });
}

function linesOf(blocks: readonly Tesseract.Block[]): SeenLines {
  return blocks
    .flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines))
    .map((line) => {
      const fontSize = fontSizeOf(line);
      const baselineAt = baselineOf(line, fontSize);
      return (
        line.words
          // What is left of a rule is no word.
          .filter(({ text }) => !/^[\s|¦]*$/.test(text))
          .map(({ text, confidence, bbox: { x0: left, y0: top, x1: right, y1: bottom } }) => {
            const baseline = { left: baselineAt(left), right: baselineAt(right) };
            return { text: text.trim(), confidence, left, top, right, bottom, baseline, fontSize };
          })
      );
    })
    .filter((words) => words.length > 0);
}

// Of a font's size: how high its capitals are. In most fonts it is 0.7, but those who follow lines take widely spaced ones
// for paragraphs of one line each, which a size that is a tenth larger prevents.
const capitals = 0.63;

/** From the height above the baseline, which every line has; only some have letters that go below it. */
function fontSizeOf({ rowAttributes: { rowHeight, descenders }, bbox }: Tesseract.Line): number {
  const above = rowHeight - descenders;
  return above > 0 ? above / capitals : bbox.y1 - bbox.y0;
}

// In font sizes: the slope of a shorter line is that of its letters.
const longEnough = 8;

function baselineOf({ baseline: { x0, y0, x1, y1 } }: Tesseract.Line, fontSize: number) {
  if (x1 - x0 < longEnough * fontSize) return () => (y0 + y1) / 2;
  return (x: number) => y0 + ((x - x0) * (y1 - y0)) / (x1 - x0);
}
