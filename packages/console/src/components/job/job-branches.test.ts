import { expect, test } from "vitest";
import type { Branch } from "../../api/contract.ts";
import { lastBranches } from "./job-branches.ts";

const branch = (stage: string, name: string, batchId: string) =>
  ({ stage, branch: name, batchId }) as unknown as Branch;

test("each stage has the branches that it began last", () => {
  const shown = lastBranches([
    ...[branch("ask", "one", "1"), branch("ask", "two", "1"), branch("ask", "one", "2")],
    ...[branch("tell", "all", "3"), branch("ask", "two", "2")],
  ]);
  expect(shown.get("ask")?.map((one) => `${one.branch} ${one.batchId}`)).toEqual(["one 2", "two 2"]);
  expect(shown.get("tell")).toHaveLength(1);
  expect(shown.get("other")).toBeUndefined();
});
