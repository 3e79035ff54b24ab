import type { Box } from "../../page-text.ts";
import { type FoundTable, findTables } from "./find-tables.ts";
import { columnsOfLines } from "./reading-order.ts";

interface Placed {
  readonly box: Box;
}

/** A page's words as they are read: lines one after the other, those of a table row by row. */
export interface Arranged<T extends Placed> {
  readonly lines: readonly (readonly T[])[];
  readonly tables: readonly FoundTable<T>[];
}

/**
 * Puts lines in order. The given ones are kept where a page has one column: whoever found them has seen more than the
 * places of words.
 */
export function arrange<T extends Placed>(given: readonly (readonly T[])[]): Arranged<T> {
  const all = given.flat();
  const columns = columnsOfLines(all);
  if (columns !== null) return { lines: columns, tables: [] };
  const tables = findTables(all);
  let lines: readonly (readonly T[])[] = given;
  for (const table of tables) lines = withRows(lines, table);
  return { lines, tables };
}

function withRows<T extends Placed>(lines: readonly (readonly T[])[], table: FoundTable<T>) {
  const inTable = new Set(table.flat(2));
  const place = lines.findIndex((line) => line.some((word) => inTable.has(word)));
  const before = lines.slice(0, place);
  const after = lines.slice(place).map((line) => line.filter((word) => !inTable.has(word)));
  const rows = table.map((row) => row.flat());
  return [...before, ...rows, ...after].filter((line) => line.length > 0);
}

/** Lines with words put in that were found later: into the line they are level with, or between two. */
export function withLateWords<T extends Placed>(
  given: readonly (readonly T[])[],
  late: readonly (readonly T[])[],
): readonly (readonly T[])[] {
  const lines = given.map((line) => [...line]);
  for (const words of late) {
    const middle = middleOf(words);
    const level = lines.find(
      (line) => Math.abs(middleOf(nearest(line, words)) - middle) < heightOf(line) / 2,
    );
    if (level !== undefined) {
      level.push(...words);
      level.sort((one, other) => one.box.x - other.box.x);
      continue;
    }
    const below = lines.findIndex((line) => middleOf(line) > middle);
    lines.splice(below === -1 ? lines.length : below, 0, [...words]);
  }
  return lines;
}

/** A line may lie askew: what counts is its word beside the place in question. */
function nearest<T extends Placed>(line: readonly T[], words: readonly T[]): readonly T[] {
  const x = words[0]?.box.x ?? 0;
  const [first] = [...line].sort((one, other) => Math.abs(one.box.x - x) - Math.abs(other.box.x - x));
  return first === undefined ? line : [first];
}

const heightOf = (line: readonly Placed[]) => Math.max(...line.map(({ box }) => box.height));
const middleOf = (line: readonly Placed[]) =>
  line.reduce((sum, { box }) => sum + box.y + box.height / 2, 0) / Math.max(1, line.length);
