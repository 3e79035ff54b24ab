import { expect, test } from "vitest";
import { writtenSearch } from "./jobs-search.ts";

test("one status in a written filter is a tab, and the rest is the filter", () => {
  expect(writtenSearch("tag:x status:failed since:1h", "pending")).toEqual({
    status: "failed",
    filter: "tag:x since:1h",
  });
  expect(writtenSearch("status:failed", undefined)).toEqual({ status: "failed" });
});

test("several statuses, or none, stay as they are written, under the tab that is open", () => {
  expect(writtenSearch("status:failed,cancelled", undefined)).toEqual({ filter: "status:failed,cancelled" });
  expect(writtenSearch("tag:x", "pending")).toEqual({ status: "pending", filter: "tag:x" });
  expect(writtenSearch("", "pending")).toEqual({ status: "pending" });
});
