import { expect, test } from "vitest";
import { cleanText } from "./clean-text.ts";

test.each([
  ["plain text", "plain text"],
  ["a\0b\0", "a\uFFFDb\uFFFD"],
  ["\ud800", "\uFFFD"],
  ["x\udc00y", "x\uFFFDy"],
  ["\udc00\ud800", "\uFFFD\uFFFD"],
  ["😀 stays", "😀 stays"],
  ["tab\tnewline\n", "tab\tnewline\n"],
])("%j becomes %j", (given, cleaned) => {
  expect(cleanText(given)).toBe(cleaned);
});
