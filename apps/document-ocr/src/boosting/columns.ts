import type { Line, LineWord } from "./page-lines.ts";

// In heights of the usual letter. Blanks between words are a quarter to a half of one.
const leastGutter = 1;
const leastLinesBeside = 3;

/**
 * The lines in reading order, column after column, by cutting the page along its empty strips: upright ones first, for
 * what stands in a column belongs together; a strip across only where something spans the columns.
 */
export function inColumns(lines: readonly Line[]): Line[] {
  const words = lines.flat();
  if (words.length === 0) return [];
  const heights = words.map(({ box }) => box.height).sort((one, other) => one - other);
  const height = heights[heights.length >> 1] ?? 0;
  return cut(words, height);
}

function cut(words: readonly LineWord[], height: number): Line[] {
  const columns = columnsOf(words, height);
  if (columns !== null) return columns.flatMap((column) => cut(column, height));
  const rows = rowsOf(words);
  for (let at = 1; at < rows.length; at++) {
    const [above, below] = [rows.slice(0, at).flat(), rows.slice(at).flat()];
    if (columnsOf(below, height) !== null) return [...cut(above, height), ...cut(below, height)];
  }
  for (let at = rows.length - 1; at > 0; at--) {
    const [above, below] = [rows.slice(0, at).flat(), rows.slice(at).flat()];
    if (columnsOf(above, height) !== null) return [...cut(above, height), ...cut(below, height)];
  }
  return rows;
}

/** Left and right of the widest empty strip that goes all the way down; null where none is wide enough. */
function columnsOf(words: readonly LineWord[], height: number): [LineWord[], LineWord[]] | null {
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
  if (Math.min(rowsOf(left).length, rowsOf(rest).length) < leastLinesBeside) return null;
  return [left, rest];
}

/** Words whose middles are level stand in one line. */
function rowsOf(words: readonly LineWord[]): Line[] {
  const middle = ({ box }: LineWord) => box.y + box.height / 2;
  const rows: LineWord[][] = [];
  let level = Number.NEGATIVE_INFINITY;
  for (const word of [...words].sort((one, other) => middle(one) - middle(other))) {
    if (middle(word) - level > word.box.height / 2) rows.push([]);
    rows.at(-1)?.push(word);
    level = middle(word);
  }
  return rows.map((row) => row.sort((one, other) => one.box.x - other.box.x));
}
