import { expect, test } from "vitest";
import { withEarlierRows } from "./earlier-rows.ts";
import type { ResultRow } from "./result-row.ts";

const row = (part: string, lockstep: number) => ({ part, lockstep }) as ResultRow;

test("a run of some parts replaces their rows and leaves the others, in the order of the parts", () => {
  const earlier = [row("bulk-add", 1), row("idle-latency-p50", 2), row("a part that is no more", 3)];
  expect(withEarlierRows([row("drain", 4), row("bulk-add", 5)], earlier)).toEqual([
    row("bulk-add", 5),
    row("drain", 4),
    row("idle-latency-p50", 2),
  ]);
});
