import type { GrayImage } from "./gray-image.ts";

// In inches: no letter and no dash is as long.
const leastLength = 0.6;
// What a rule is thick at most; thicker ink is a bar with letters in it, or a picture.
const mostThickness = 0.03;
const mostGapPixels = 2;
const white = 255;

/** Takes out the rules of tables and forms, which are read as letters, or keep the letters beside them from being read. */
export function withoutRules(image: GrayImage, { dpi, divide }: { dpi: number; divide: number }): GrayImage {
  const { width, height } = image;
  const isInk = (at: number) => (image.pixels[at] ?? white) <= divide;
  const thick = Math.max(2, Math.round(mostThickness * dpi));
  const level = runsOf({ lines: height, length: width, step: 1, across: width }, leastLength * dpi, isInk);
  const upright = runsOf({ lines: width, length: height, step: width, across: 1 }, leastLength * dpi, isInk);
  const pixels = Uint8Array.from(image.pixels);
  const erase = (at: number, across: number, reach: number) => {
    // The gray edge of a rule goes too, or it stays as a faint line.
    for (let far = -reach; far <= reach; far++) {
      if (at + far * across >= 0 && at + far * across < pixels.length) pixels[at + far * across] = white;
    }
  };
  for (const { runs, across } of [
    { runs: level, across: width },
    { runs: upright, across: 1 },
  ]) {
    for (const at of runs) {
      const thickness = thicknessAt(at, across, thick, isInk);
      // Where the ink goes on across, a letter touches the rule, or it is no rule: that stays.
      if (thickness <= thick) erase(at, across, thickness);
    }
  }
  const uprights = new Set(upright);
  for (const at of level) {
    if (!uprights.has(at) || !isCrossing(at, width, 2 * thick, isInk)) continue;
    for (let row = -thick; row <= thick; row++) erase(at + row * width, 1, thick);
  }
  return { width, height, pixels };
}

interface Direction {
  readonly lines: number;
  readonly length: number;
  /** To the next pixel of a line, and to the next line. */
  readonly step: number;
  readonly across: number;
}

/** The pixels that are part of a long straight line of ink. */
function runsOf(
  { lines, length, step, across }: Direction,
  least: number,
  isInk: (at: number) => boolean,
): number[] {
  const found: number[] = [];
  for (let line = 0; line < lines; line++) {
    const start = line * across;
    for (let at = 0; at < length; at++) {
      if (!isInk(start + at * step)) continue;
      let [end, gap] = [at, 0];
      for (let next = at + 1; next < length && gap <= mostGapPixels; next++) {
        if (isInk(start + next * step)) [end, gap] = [next, 0];
        else gap++;
      }
      if (end - at >= least) for (let on = at; on <= end; on++) found.push(start + on * step);
      at = end;
    }
  }
  return found;
}

function thicknessAt(at: number, across: number, most: number, isInk: (at: number) => boolean): number {
  let thickness = 1;
  for (const way of [-across, across]) {
    for (let far = 1; far <= most && isInk(at + way * far); far++) thickness++;
  }
  return thickness;
}

/** Whether two rules cross there, and it is not the inside of a bar or a picture: then there is paper in the corners. */
function isCrossing(at: number, width: number, far: number, isInk: (at: number) => boolean): boolean {
  const corners = [-far * width - far, -far * width + far, far * width - far, far * width + far];
  return corners.filter((corner) => isInk(at + corner)).length <= 1;
}
