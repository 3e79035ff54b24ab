import type { GrayImage } from "./gray-image.ts";

const blocksAcross = 24;
// Of the pixels of a block, so many are darker than its paper: ink, and the darker half of the grain.
const paperAbove = 0.7;
// In shades of 255. Less is not worth the work; darker than this is no paper but a picture.
const leastUneven = 12;
const darkestPaper = 90;

/**
 * Makes paper equally light everywhere. A shadow is darker than light paper by more than faint ink is, and whoever parts
 * ink from paper by one shade for the whole page would take it for ink.
 */
export function levelPaper(image: GrayImage): GrayImage {
  const size = Math.max(16, Math.ceil(image.width / blocksAcross));
  const columns = Math.ceil(image.width / size);
  const rows = Math.ceil(image.height / size);
  const papers = Float32Array.from({ length: columns * rows }, (_, at) =>
    paperOf(image, (at % columns) * size, Math.floor(at / columns) * size, size),
  );
  if (Math.max(...papers) - Math.min(...papers) < leastUneven) return image;
  const pixels = new Uint8Array(image.pixels.length);
  const paper = (column: number, row: number) => papers[row * columns + column] ?? 255;
  for (let y = 0; y < image.height; y++) {
    const { low: top, high: bottom, share: shareY } = between(y, size, rows);
    for (let x = 0; x < image.width; x++) {
      const { low: left, high: right, share: shareX } = between(x, size, columns);
      const above = paper(left, top) * (1 - shareX) + paper(right, top) * shareX;
      const below = paper(left, bottom) * (1 - shareX) + paper(right, bottom) * shareX;
      const here = above * (1 - shareY) + below * shareY;
      const at = y * image.width + x;
      pixels[at] = Math.min(255, ((image.pixels[at] ?? 255) * 255) / here);
    }
  }
  return { ...image, pixels };
}

function paperOf({ width, height, pixels }: GrayImage, left: number, top: number, size: number): number {
  const counts = new Uint32Array(256);
  let total = 0;
  for (let y = top; y < Math.min(height, top + size); y++) {
    for (let x = left; x < Math.min(width, left + size); x++) {
      const shade = pixels[y * width + x] ?? 255;
      counts[shade] = (counts[shade] ?? 0) + 1;
      total++;
    }
  }
  let [shade, darker] = [0, 0];
  while (shade < 255 && darker + (counts[shade] ?? 0) < total * paperAbove) darker += counts[shade++] ?? 0;
  return Math.max(darkestPaper, shade);
}

/** The two blocks between whose middles a pixel lies, and how near it is to the second. */
function between(pixel: number, size: number, blocks: number): { low: number; high: number; share: number } {
  const place = Math.max(0, Math.min(blocks - 1, (pixel + 0.5) / size - 0.5));
  const low = Math.floor(place);
  return { low, high: Math.min(blocks - 1, low + 1), share: place - low };
}
