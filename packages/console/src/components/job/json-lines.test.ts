import { expect, test } from "vitest";
import { parseExact } from "../../api/exact-json.ts";
import { jsonLines } from "./json-lines.ts";

const value = parseExact('{"id":9007199254740993,"pages":[1,"two"],"empty":{}}');

function drawn(folded?: Set<string>): string[] {
  return jsonLines(value, folded).map(
    ({ depth, name, text, isLast }) =>
      `${" ".repeat(depth)}${name ?? ""}${name === null ? "" : ":"}${text}${isLast ? "" : ","}`,
  );
}

test("a value is drawn line by line", () => {
  expect(drawn()).toEqual([
    "{",
    " id:9007199254740993,",
    " pages:[,",
    "  1,",
    '  "two"',
    " ],",
    " empty:{}",
    "}",
  ]);
});

test("what is folded is one line that tells how much it holds", () => {
  expect(drawn(new Set(["/pages"]))).toContain(" pages:[ 2 … ],");
});
