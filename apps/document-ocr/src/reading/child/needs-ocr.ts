import type { Box, Word } from "../page-text.ts";
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

/** Whether the middle of the word lies in the box. */
export function isInside({ box }: Word, area: Box): boolean {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return x >= area.x && x <= area.x + area.width && y >= area.y && y <= area.y + area.height;
}
