import type { PageText, Word } from "../page-text.ts";
import { isInside } from "./needs-ocr.ts";
import type { SeenPage } from "./read-image.ts";
import type { TextLayer } from "./text-layer.ts";

/** What was seen, with the text layer's own words where it has any: they are certain, and drawn into the picture too. */
export function mergeTextLayer(
  seen: SeenPage,
  layer: Pick<TextLayer, "words" | "text" | "rotationDegrees">,
  mostWords: number,
): Pick<PageText, "words" | "text" | "rotationDegrees"> {
  const isInLayer = (word: Word) =>
    layer.words.some((certain) => isInside(word, certain.box) || isInside(certain, word.box));
  const lines = seen.lines
    .map((line) => line.filter((word) => !isInLayer(word)))
    .filter((line) => line.length > 0);
  return {
    words: [...layer.words, ...lines.flat()].slice(0, mostWords),
    text: [layer.text, ...lines.map((line) => line.map(({ text }) => text).join(" "))]
      .filter((text) => text !== "")
      .join("\n"),
    rotationDegrees: seen.lines.length > 0 ? seen.rotationDegrees : layer.rotationDegrees,
  };
}
