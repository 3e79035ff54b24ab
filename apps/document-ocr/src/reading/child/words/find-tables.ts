import type { Box } from "../../page-text.ts";
import { cellsOf, columnsOfLines, gutterOf, linesOf } from "./reading-order.ts";

interface Placed {
  readonly box: Box;
}

/** Row by row, and in each row cell by cell; a cell without words is empty. */
export type FoundTable<T extends Placed> = readonly (readonly (readonly T[])[])[];

// In heights of the usual letter.
const mostRowDistance = 4;
// More is running text that happens to have gaps.
const mostWordsInCell = 5;
const leastRows = 3;
const leastColumns = 2;

/** Runs of lines that are parted into cells, with the same empty strips all the way down. */
export function findTables<T extends Placed>(words: readonly T[]): FoundTable<T>[] {
  // Running text in columns is parted the same way, and is none.
  if (words.length === 0 || columnsOfLines(words) !== null) return [];
  const heights = words.map(({ box }) => box.height).sort((one, other) => one - other);
  const height = heights[heights.length >> 1] ?? 0;
  const gap = gutterOf(words);
  const lines = linesOf(words).map((line) => ({ line, cells: cellsOf(line, gap) }));
  const tables: FoundTable<T>[] = [];
  let run: { line: T[]; cells: T[][] }[] = [];
  const endRun = () => {
    while (run.length > 0 && (run.at(-1)?.cells.length ?? 0) < leastColumns) run.pop();
    const table = tableOf(run.map(({ cells }) => cells));
    if (table !== null) tables.push(table);
    run = [];
  };
  for (const row of lines) {
    const before = run.at(-1)?.line;
    const isFar = before !== undefined && topOf(row.line) - topOf(before) > mostRowDistance * height;
    if (isFar || !isRow(row.cells)) endRun();
    // A line of one cell goes on with a table, but does not begin one.
    if (isRow(row.cells) && (run.length > 0 || row.cells.length >= leastColumns)) run.push(row);
  }
  endRun();
  return tables;
}

function isRow<T>(cells: readonly (readonly T[])[]): boolean {
  return cells.every((cell) => cell.length <= mostWordsInCell);
}

function tableOf<T extends Placed>(rows: readonly (readonly (readonly T[])[])[]): FoundTable<T> | null {
  const parted = rows.filter((cells) => cells.length >= leastColumns);
  if (parted.length < leastRows || parted.length * 2 < rows.length) return null;
  const columns = stripsOf(parted.flat());
  if (columns.length < leastColumns) return null;
  const placed = rows.map((cells) => {
    const row = columns.map((): T[] => []);
    for (const cell of cells) {
      const middle = (leftOf(cell) + rightOf(cell)) / 2;
      const at = columns.findIndex(({ right }) => middle <= right);
      row[at === -1 ? columns.length - 1 : at]?.push(...cell);
    }
    return row;
  });
  const isFilled = columns.every(
    (_, at) => placed.filter((row) => (row[at]?.length ?? 0) > 0).length >= leastColumns,
  );
  return isFilled ? placed : null;
}

/** Where cells stand, seen from above: what overlaps is one column. */
function stripsOf<T extends Placed>(cells: readonly (readonly T[])[]): { left: number; right: number }[] {
  const strips: { left: number; right: number }[] = [];
  for (const cell of [...cells].sort((one, other) => leftOf(one) - leftOf(other))) {
    const last = strips.at(-1);
    if (last !== undefined && leftOf(cell) <= last.right) last.right = Math.max(last.right, rightOf(cell));
    else strips.push({ left: leftOf(cell), right: rightOf(cell) });
  }
  return strips;
}

const leftOf = (cell: readonly Placed[]) => cell[0]?.box.x ?? 0;
const rightOf = (cell: readonly Placed[]) => Math.max(...cell.map(({ box }) => box.x + box.width));
const topOf = (line: readonly Placed[]) => line[0]?.box.y ?? 0;
