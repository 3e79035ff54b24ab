import { expect, test } from "vitest";
import { wordsOf } from "./words-of.ts";

test.each([
  ["It's a well-made test, isn't it?", ["It's", "a", "well-made", "test", "isn't", "it"]],
  ["Grüße an café №5", ["Grüße", "an", "café", "5"]],
  ["本を、読む", ["本", "を", "読む"]],
  ["— … !", []],
  ["", []],
])("the words of %j", (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test("a text without any space is parted in little memory and time", () => {
  expect(wordsOf("長い文章が続く".repeat(15_000)).length).toBeGreaterThan(30_000);
});
