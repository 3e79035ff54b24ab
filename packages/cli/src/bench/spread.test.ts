import { expect, test } from "vitest";
import { spreadOf } from "./spread.ts";

test.each([
  [[], null],
  [[7], { samples: 1, least: 7, median: 7, p95: 7, most: 7 }],
  [[3, 1, 2], { samples: 3, least: 1, median: 2, p95: 3, most: 3 }],
  [
    Array.from({ length: 100 }, (_, index) => 100 - index),
    { samples: 100, least: 1, median: 51, p95: 96, most: 100 },
  ],
])("the spread of %j", (numbers, expected) => {
  expect(spreadOf(numbers)).toEqual(expected);
});
