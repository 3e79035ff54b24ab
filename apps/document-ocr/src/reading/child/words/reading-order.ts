import type { Box } from "../../page-text.ts";

/** A word on an upright page, in any unit. */
interface Placed {
  readonly box: Box;
}

// In heights of the usual letter. Blanks between words are a quarter to a half of one, but wider on a typewriter, where
// those of a few lines may happen to stand below each other: so a gutter is also that much wider than a usual blank.
const leastGutter = 1;
const widerThanBlanks = 1.8;
const widestBlank = 1.5;
const leastLinesBeside = 3;
const leastWordsInCell = 3;
// Every run of lines is looked at, which is too much work for a page of very many.
const mostLines = 200;

/**
 * The lines column after column, by cutting the page along its empty strips: upright ones first, for what stands in a
 * column belongs together; across only where something spans the columns. Null for a page of one column.
 */
export function columnsOfLines<T extends Placed>(words: readonly T[]): T[][] | null {
  return cut(words, gutterOf(words));
}

/** How wide a gap is at least that is no blank between two words. */
export function gutterOf(words: readonly Placed[]): number {
  const height = median(words.map(({ box }) => box.height));
  const blanks = linesOf(words)
    .flatMap((line) => line.slice(1).map(({ box }, at) => box.x - rightOf(line[at] ?? line[0])))
    .filter((blank) => blank < widestBlank * height);
  return Math.max(leastGutter * height, widerThanBlanks * median(blanks));
}

function rightOf(word: Placed | undefined): number {
  return word === undefined ? 0 : word.box.x + word.box.width;
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;
}

function cut<T extends Placed>(
  words: readonly T[],
  gutter: number,
  { columnsOnly = false } = {},
): T[][] | null {
  const columns = besideEachOther(words, gutter);
  if (columns !== null) return columns.flatMap((column) => cut(column, gutter) ?? linesOf(column));
  if (columnsOnly) return null;
  const lines = linesOf(words);
  if (lines.length > mostLines) return null;
  const byLeft = lines
    .flatMap((line, row) => line.map(({ box }) => ({ row, left: box.x, right: box.x + box.width })))
    .sort((one, other) => one.left - other.left);
  // The most lines in a row that stand in columns; what is above and below them spans these.
  for (let count = lines.length - 1; count >= leastLinesBeside; count--) {
    for (let from = 0; from + count <= lines.length; from++) {
      if (!hasGutter(byLeft, from, from + count, gutter)) continue;
      const middle = cut(lines.slice(from, from + count).flat(), gutter, { columnsOnly: true });
      if (middle === null) continue;
      const [above, below] = [lines.slice(0, from), lines.slice(from + count)];
      return [above, below]
        .map((part) => cut(part.flat(), gutter) ?? part)
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
function besideEachOther<T extends Placed>(words: readonly T[], gutter: number): [T[], T[]] | null {
  const byLeft = [...words].sort((one, other) => one.box.x - other.box.x);
  let [right, widest, at] = [Number.NEGATIVE_INFINITY, gutter, -1];
  for (const [index, { box }] of byLeft.entries()) {
    const gap = box.x - right;
    if (index > 0 && gap > widest) [widest, at] = [gap, index];
    right = Math.max(right, box.x + box.width);
  }
  if (at === -1) return null;
  const [left, rest] = [byLeft.slice(0, at), byLeft.slice(at)];
  return isColumn(left, gutter) && isColumn(rest, gutter) ? [left, rest] : null;
}

/** Two lines side by side are a letter's head, and parts of a word or two a table: both are read across. */
function isColumn<T extends Placed>(words: readonly T[], gutter: number): boolean {
  const lines = linesOf(words);
  const cells = lines.flatMap((line) => cellsOf(line, gutter)).length;
  return lines.length >= leastLinesBeside && words.length >= cells * leastWordsInCell;
}

/** The parts of a line that wide gaps leave. */
export function cellsOf<T extends Placed>(line: readonly T[], gap: number): T[][] {
  const cells: T[][] = [];
  let right = Number.NEGATIVE_INFINITY;
  for (const word of line) {
    if (word.box.x - right > gap) cells.push([]);
    cells.at(-1)?.push(word);
    right = word.box.x + word.box.width;
  }
  return cells;
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
