import type { Box } from "../page-text.ts";

/** A word on an upright page, in any unit. */
interface Placed {
  readonly box: Box;
}

// In heights of the usual letter. Blanks between words are a quarter to a half of one.
const leastGutter = 1;
const leastLinesBeside = 3;

/**
 * The lines column after column, by cutting the page along its empty strips: upright ones first, for what stands in a
 * column belongs together; across only where something spans the columns. Null for a page of one column.
 */
export function columnsOfLines<T extends Placed>(words: readonly T[]): T[][] | null {
  const heights = words.map(({ box }) => box.height).sort((one, other) => one - other);
  return cut(words, heights[heights.length >> 1] ?? 0);
}

function cut<T extends Placed>(words: readonly T[], height: number): T[][] | null {
  const columns = besideEachOther(words, height);
  if (columns !== null) return columns.flatMap((column) => cut(column, height) ?? linesOf(column));
  const lines = linesOf(words);
  const halves = lines
    .slice(1)
    .map((_, at) => [lines.slice(0, at + 1).flat(), lines.slice(at + 1).flat()] as const);
  const parts =
    halves.find(([, below]) => besideEachOther(below, height) !== null) ??
    halves.findLast(([above]) => besideEachOther(above, height) !== null);
  return parts?.flatMap((part) => cut(part, height) ?? linesOf(part)) ?? null;
}

/** Left and right of the widest empty strip that goes all the way down; null where none is wide enough. */
function besideEachOther<T extends Placed>(words: readonly T[], height: number): [T[], T[]] | null {
  const byLeft = [...words].sort((one, other) => one.box.x - other.box.x);
  let [right, widest, at] = [Number.NEGATIVE_INFINITY, leastGutter * height, -1];
  for (const [index, { box }] of byLeft.entries()) {
    const gap = box.x - right;
    if (index > 0 && gap > widest) [widest, at] = [gap, index];
    right = Math.max(right, box.x + box.width);
  }
  if (at === -1) return null;
  const [left, rest] = [byLeft.slice(0, at), byLeft.slice(at)];
  // Two or three lines side by side are a heading with its number, or a letter's head, and read across.
  if (Math.min(linesOf(left).length, linesOf(rest).length) < leastLinesBeside) return null;
  return [left, rest];
}

/** Words whose middles are level stand in one line. */
export function linesOf<T extends Placed>(words: readonly T[]): T[][] {
  const middle = ({ box }: T) => box.y + box.height / 2;
  const lines: T[][] = [];
  let level = Number.NEGATIVE_INFINITY;
  for (const word of [...words].sort((one, other) => middle(one) - middle(other))) {
    if (middle(word) - level > word.box.height / 2) lines.push([]);
    lines.at(-1)?.push(word);
    level = middle(word);
  }
  return lines.map((line) => line.sort((one, other) => one.box.x - other.box.x));
}
