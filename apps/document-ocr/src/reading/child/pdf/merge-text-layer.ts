import { isInside, type Word } from "../../page-text.ts";
import type { SeenPage } from "../words/read-image.ts";
import type { TextLayer } from "./text-layer.ts";

/** What was seen, with the text layer's own words where it has any: they are certain, and drawn into the picture too. */
export function mergeTextLayer(seen: SeenPage, layer: Omit<TextLayer, "garbageShare">): SeenPage {
  const certain = layer.lines.flat();
  const isInLayer = (word: Word) =>
    certain.some((other) => isInside(word, other.box) || isInside(other, word.box));
  const lines = seen.lines
    .map((line) => line.filter((word) => !isInLayer(word)))
    .filter((line) => line.length > 0);
  if (lines.length === 0) return { ...layer, unread: seen.unread };
  return { ...seen, lines: [...layer.lines, ...lines], tables: [...layer.tables, ...seen.tables] };
}
