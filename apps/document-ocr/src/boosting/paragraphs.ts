import type { Line } from "./page-lines.ts";

// In usual line distances: more space than this begins a paragraph.
const widerSpace = 1.35;
// In letter heights: a first line moved in by this much begins one.
const indent = 0.9;
// A line that ends this far before its column does was ended on purpose.
const shortOf = 0.85;

/** Lines that belong together; whether a line runs on into the next is said by `runsOn`. */
export interface Paragraph {
  readonly lines: readonly { readonly line: Line; readonly runsOn: boolean }[];
}

/** Neighbours are compared only with each other, so that a page may lie askew. */
export function paragraphsOf(lines: readonly Line[], isRow: (line: Line) => boolean): Paragraph[] {
  const spaces = lines.map((line, at) => top(line) - top(lines[at - 1] ?? line)).filter((space) => space > 0);
  const usual = spaces.sort((one, other) => one - other)[spaces.length >> 1] ?? 0;
  const groups: Line[][] = [];
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1];
    if (before === undefined || isApart(before, line, usual)) groups.push([]);
    groups.at(-1)?.push(line);
  }
  return groups.map((group) => {
    const [left, right] = [Math.min(...group.map(leftOf)), Math.max(...group.map(rightOf))];
    return {
      lines: group.map((line, at) => ({
        line,
        runsOn: at < group.length - 1 && !isRow(line) && rightOf(line) - left > shortOf * (right - left),
      })),
    };
  });
}

function isApart(before: Line, line: Line, usual: number): boolean {
  const space = top(line) - top(before);
  const height = line[0]?.box.height ?? 0;
  // Higher up means another column; it may go on with the same sentence.
  if (space < -height) return /[.!?:]["”’)]?$/.test(before.at(-1)?.text ?? "");
  return space > widerSpace * usual || leftOf(line) - leftOf(before) > indent * height;
}

const top = (line: Line) => (line[0]?.box.y ?? 0) + (line[0]?.box.height ?? 0);
const leftOf = (line: Line) => line[0]?.box.x ?? 0;
const rightOf = (line: Line) => {
  const last = line.at(-1)?.box;
  return last === undefined ? 0 : last.x + last.width;
};
