import { expect, test } from "vitest";
import { tickOf } from "./tick-of.ts";

test("the tags of a schedule's job tell its name and tick", () => {
  expect(tickOf(["schedule:a:b", "tick:2026-03-02T03:00:00.000Z", "blue"])).toEqual({
    name: "a:b",
    tickAt: new Date("2026-03-02T03:00:00Z"),
  });
});

test.each([
  [[]],
  [["blue"]],
  [["schedule:x"]],
  [["tick:2026-03-02T03:00:00Z"]],
  [["schedule:x", "tick:soon"]],
])("the tags %j tell of none", (tags) => {
  expect(tickOf(tags)).toBeNull();
});
