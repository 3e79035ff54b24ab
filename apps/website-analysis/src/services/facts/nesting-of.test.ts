import { expect, test } from "vitest";
import { nestingOf } from "./nesting-of.ts";

test.each([
  ["plain text", 0],
  ["<html><body><div><b>x</b></div><div>y</div></body></html>", 4],
  ["<ul><li>one<li>two<li>three</ul><p>a<p>b<br><img>", 1],
  ["</div></div><div>", 1],
  ["<div>".repeat(1_000), 1_000],
])("%#: its elements lie so deep in each other", (html, depth) => {
  expect(nestingOf(html)).toBe(depth);
});

// More than once, and it would take hours.
test("five megabytes of tags that never end are looked through once", () => {
  nestingOf("<a ".repeat(1_700_000));
});
