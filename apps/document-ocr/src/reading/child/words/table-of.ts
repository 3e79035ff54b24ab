import type { Box, Table, Word } from "../../page-text.ts";
import { union } from "./union.ts";

/** A table of the words in its cells. */
export function tableOf(rows: readonly (readonly (readonly Word[])[])[]): Table {
  return {
    box: union(rows.flat(2).map(({ box }) => box)),
    rows: rows.map((row) => row.map(cellOf)),
  };
}

function cellOf(words: readonly Word[]) {
  const box: Box | null = words.length === 0 ? null : union(words.map((word) => word.box));
  const confidence = Math.min(100, ...words.map((word) => word.confidence));
  return { text: words.map(({ text }) => text).join(" "), confidence, box };
}
