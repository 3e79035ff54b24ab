import { parts } from "../plan/parts.ts";
import type { ResultRow } from "./result-row.ts";

/** These rows, and those of an earlier run for the other parts, in the order of the parts. */
export function withEarlierRows(rows: readonly ResultRow[], earlier: readonly ResultRow[]): ResultRow[] {
  const byPart = new Map([...earlier, ...rows].map((row) => [row.part, row]));
  return parts.flatMap(({ name }) => byPart.get(name) ?? []);
}
