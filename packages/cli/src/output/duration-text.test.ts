import { expect, test } from "vitest";
import { durationText } from "./duration-text.ts";

test.each([
  [-5, "0 ms"],
  [999.4, "999 ms"],
  [1_250, "1.2 s"],
  [59_999, "59.9 s"],
  [60_000, "1 m"],
  [130_000, "2 m 10 s"],
  [3_600_000, "1 h"],
  [11_100_000, "3 h 5 m"],
  [352_800_000, "4 d 2 h"],
])("%d ms", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
