import { expect, test } from "vitest";
import type { JobOutcome } from "../../jobs/outcomes/job-outcome.ts";
import { StoredChildren } from "./stored-children.ts";

/** So many children, every third of them failed, and the pages that were asked for. */
function children(count: number) {
  const stored = Array.from({ length: count }, (_, index): JobOutcome => {
    const id = String(index).padStart(5, "0");
    if (index % 3 !== 2) return { id, status: "completed", result: index, error: null };
    return { id, status: "failed", result: null, error: { name: "Error", message: "oh" } };
  });
  const asked: (string | null)[] = [];
  const part = new StoredChildren(async (after, limit) => {
    asked.push(after);
    return stored.filter(({ id }) => after === null || id > after).slice(0, limit);
  });
  return { part, asked };
}

test("children are read page by page, each page after the last child of the one before", async () => {
  const { part, asked } = children(1_500);
  expect(await part.all()).toHaveLength(1_500);
  expect(asked).toEqual([null, "00999"]);
});

test("results are those of the children that completed", async () => {
  expect(await children(4).part.results()).toEqual([0, 1, 3]);
});

test("no page is read that nobody asks for", async () => {
  const { part, asked } = children(1_500);
  for await (const _ of part) break;
  expect(asked).toEqual([null]);
});
