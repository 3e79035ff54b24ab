import { type Box, isInside } from "../../page-text.ts";
import type { TextLayer } from "./text-layer.ts";

const mostGarbageShare = 0.1;
const leastImageShare = 0.1;
// A scan that was made searchable before has its words on top of the picture.
const wordsOfASearchableScan = 5;

/** Whether the picture of a page says more than its text layer: none, an unreadable one, or a scan beside it. */
export function needsOcr(
  layer: TextLayer,
  images: readonly Box[],
  size: { widthPoints: number; heightPoints: number },
): boolean {
  if (layer.lines.length === 0 || isGarbage(layer)) return true;
  const pageArea = size.widthPoints * size.heightPoints;
  return images.some(
    (image) =>
      image.width * image.height > leastImageShare * pageArea &&
      layer.lines.flat().filter((word) => isInside(word, image)).length < wordsOfASearchableScan,
  );
}

/** Whether its letters are not the ones that the page shows. */
export function isGarbage({ garbageShare }: TextLayer): boolean {
  return garbageShare > mostGarbageShare;
}
