import type { GrayImage } from "./gray-image.ts";
import type { Region } from "./unread-regions.ts";

/** The parts of a region that white goes all the way down between: the figures of a number. */
export function glyphsIn({ width, pixels }: GrayImage, region: Region, divide: number): Region[] {
  const glyphs: Region[] = [];
  let left: number | null = null;
  for (let x = region.left - 1; x <= region.right + 1; x++) {
    let hasInk = false;
    for (let y = region.top; y < region.bottom && !hasInk; y++)
      hasInk = (pixels[y * width + x] ?? 255) <= divide;
    if (hasInk) left ??= x;
    else if (left !== null) {
      glyphs.push({ ...region, left, right: x });
      left = null;
    }
  }
  return glyphs;
}
