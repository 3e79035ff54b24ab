import type { Box } from "../page-text.ts";

/** A word on an upright page, in any unit. */
interface Placed {
  readonly box: Box;
}

// In heights of the usual letter. Blanks between words are a quarter to a half of one.
const leastGutter = 1;
const leastLinesBeside = 3;
const leastWordsInLine = 3;
// Every run of lines is looked at, which is too much work for a page of very many.
const mostLines = 200;

/**
 * The lines column after column, by cutting the page along its empty strips: upright ones first, for what stands in a
 * column belongs together; across only where something spans the columns. Null for a page of one column.
 */
export function columnsOfLines<T extends Placed>(words: readonly T[]): T[][] | null {
  const heights = words.map(({ box }) => box.height).sort((one, other) => one - other);
  return cut(words, heights[heights.length >> 1] ?? 0);
}

function cut<T extends Placed>(
  words: readonly T[],
  height: number,
  { columnsOnly = false } = {},
): T[][] | null {
  const columns = besideEachOther(words, height);
  if (columns !== null) return columns.flatMap((column) => cut(column, height) ?? linesOf(column));
  if (columnsOnly) return null;
  const lines = linesOf(words);
  if (lines.length > mostLines) return null;
  const byLeft = lines
    .flatMap((line, row) => line.map(({ box }) => ({ row, left: box.x, right: box.x + box.width })))
    .sort((one, other) => one.left - other.left);
  // The most lines in a row that stand in columns; what is above and below them spans these.
  for (let count = lines.length - 1; count >= leastLinesBeside; count--) {
    for (let from = 0; from + count <= lines.length; from++) {
      if (!hasGutter(byLeft, from, from + count, leastGutter * height)) continue;
      const middle = cut(lines.slice(from, from + count).flat(), height, { columnsOnly: true });
      if (middle === null) continue;
      const [above, below] = [lines.slice(0, from), lines.slice(from + count)];
      return [above, below]
        .map((part) => cut(part.flat(), height) ?? part)
        .toSpliced(1, 0, middle)
        .flat();
    }
  }
  return null;
}

/** Whether an empty strip goes all the way down some lines. Asked for thousands of runs, so that nothing is copied. */
function hasGutter(
  byLeft: readonly { row: number; left: number; right: number }[],
  from: number,
  to: number,
  least: number,
): boolean {
  let reach = Number.POSITIVE_INFINITY;
  for (const { row, left, right } of byLeft) {
    if (row < from || row >= to) continue;
    if (left - reach > least) return true;
    reach = reach === Number.POSITIVE_INFINITY ? right : Math.max(reach, right);
  }
  return false;
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
  return isColumn(left) && isColumn(rest) ? [left, rest] : null;
}

/** Two lines side by side are a letter's head, and lines of a word or two a table: both are read across. */
function isColumn<T extends Placed>(words: readonly T[]): boolean {
  const lines = linesOf(words).length;
  return lines >= leastLinesBeside && words.length >= lines * leastWordsInLine;
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
