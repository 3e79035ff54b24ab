import type { SeenLines } from "../words/tesseract.ts";
import type { GrayImage } from "./gray-image.ts";

/** A part of a picture, in its pixels. */
export interface Region {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const cellPixels = 4;
// In sizes of the usual font.
const words = { near: 0.6, lowest: 0.25, highest: 2.5, edge: 0.6 };
// Of a cell: less ink is grain.
const leastInk = 0.15;

/** Where there is ink that no word covers: letters that were overlooked, but also stamps, logos and pictures. */
export function unreadRegions(
  image: GrayImage,
  lines: SeenLines,
  { divide, fontSize }: { divide: number; fontSize: number },
): Region[] {
  const columns = Math.floor(image.width / cellPixels);
  const rows = Math.floor(image.height / cellPixels);
  const inked = inkedCells(image, columns, rows, divide);
  const reach = Math.round(fontSize / 8);
  for (const { left, top, right, bottom } of lines.flat()) {
    clear(inked, columns, rows, {
      left: left - reach,
      top: top - reach,
      right: right + reach,
      bottom: bottom + reach,
    });
  }
  const near = Math.max(1, Math.round((words.near * fontSize) / cellPixels));
  const edge = words.edge * fontSize;
  return connected(inked, columns, rows, near)
    .filter(({ left, top, right, bottom }) => {
      const isAtEdge =
        left < edge || top < edge || right > image.width - edge || bottom > image.height - edge;
      return !isAtEdge && bottom - top >= words.lowest * fontSize && right - left >= cellPixels;
    })
    .sort((one, other) => one.top - other.top || one.left - other.left);
}

/** Whether a region is about as high as a line of text. */
export function isLineHigh({ top, bottom }: Region, fontSize: number): boolean {
  return bottom - top <= words.highest * fontSize;
}

function inkedCells({ width, pixels }: GrayImage, columns: number, rows: number, divide: number): Uint8Array {
  const inked = new Uint8Array(columns * rows);
  const least = leastInk * cellPixels * cellPixels;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let ink = 0;
      for (let y = 0; y < cellPixels; y++) {
        const from = (row * cellPixels + y) * width + column * cellPixels;
        for (let x = 0; x < cellPixels; x++) if ((pixels[from + x] ?? 255) <= divide) ink++;
      }
      if (ink >= least) inked[row * columns + column] = 1;
    }
  }
  return inked;
}

function clear(inked: Uint8Array, columns: number, rows: number, region: Region): void {
  const [top, bottom] = [region.top, region.bottom].map((y) => Math.floor(y / cellPixels));
  const [left, right] = [region.left, region.right].map((x) => Math.floor(x / cellPixels));
  for (let row = Math.max(0, top ?? 0); row <= Math.min(rows - 1, bottom ?? 0); row++) {
    inked.fill(
      0,
      row * columns + Math.max(0, left ?? 0),
      row * columns + Math.min(columns, (right ?? 0) + 1),
    );
  }
}

/** Cells that touch, or stand beside each other as letters of a word do, are one region. */
function connected(inked: Uint8Array, columns: number, rows: number, near: number): Region[] {
  const regions: Region[] = [];
  for (let start = 0; start < inked.length; start++) {
    if (inked[start] !== 1) continue;
    let [left, top, right, bottom] = [columns, rows, 0, 0];
    const waiting = [start];
    inked[start] = 0;
    for (let cell = waiting.pop(); cell !== undefined; cell = waiting.pop()) {
      const [row, column] = [Math.floor(cell / columns), cell % columns];
      [left, right] = [Math.min(left, column), Math.max(right, column)];
      [top, bottom] = [Math.min(top, row), Math.max(bottom, row)];
      for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
        for (let x = Math.max(0, column - near); x <= Math.min(columns - 1, column + near); x++) {
          const other = y * columns + x;
          if (inked[other] !== 1) continue;
          inked[other] = 0;
          waiting.push(other);
        }
      }
    }
    regions.push({
      left: left * cellPixels,
      top: top * cellPixels,
      right: (right + 1) * cellPixels,
      bottom: (bottom + 1) * cellPixels,
    });
  }
  return regions;
}
