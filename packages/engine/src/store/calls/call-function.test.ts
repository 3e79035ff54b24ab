import { expect, test } from "vitest";
import { sqlFunction, sqlUpkeep } from "./call-function.ts";

test("a function is called by the names of its arguments, as a statement with a name of its own", () => {
  const addJobs = sqlFunction("add_jobs", ["p_jobs", "p_payloads_are_checked"]);
  expect(addJobs("[]", true)).toEqual({
    name: expect.stringMatching(/^lockstep_add_jobs_[0-9a-f]{8}$/),
    text: "select * from lockstep.add_jobs(p_jobs => $1, p_payloads_are_checked => $2)",
    values: ["[]", true],
  });
});

test("one without arguments is called with none", () => {
  expect(sqlFunction("verify", [])()).toMatchObject({ text: "select * from lockstep.verify()", values: [] });
});

test("only the columns that are asked for come back", () => {
  expect(sqlFunction("verify", [], "problem")()).toMatchObject({
    text: "select problem from lockstep.verify()",
  });
});

test("upkeep does not wait for the disk, for as long as its own transaction", () => {
  expect(sqlUpkeep("fold_counters", ["p_interval"])("1 s")).toEqual({
    name: expect.stringMatching(/^lockstep_fold_counters_[0-9a-f]{8}$/),
    text: "select upkeep.* from set_config('synchronous_commit', 'off', true), lockstep.fold_counters(p_interval => $1) as upkeep",
    values: ["1 s"],
  });
});

test.each([
  ["other arguments", sqlFunction("list_jobs", ["p_filter", "p_after"])],
  ["other columns", sqlFunction("list_jobs", ["p_filter", "p_sort"], "id")],
  ["another commit", sqlUpkeep("list_jobs", ["p_filter", "p_sort"])],
])("a call of the same function with %s has another name", (_, other) => {
  const call = sqlFunction("list_jobs", ["p_filter", "p_sort"]);
  expect(other("{}", null).name).not.toBe(call("{}", null).name);
});

test("as many values as names are asked for", () => {
  const cancel = sqlFunction("cancel_job", ["p_id"]);
  // @ts-expect-error a value is missing
  cancel();
  // @ts-expect-error one is too many
  cancel("a", "b");
});
