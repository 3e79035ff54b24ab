import { expect, test } from "vitest";
import { exactNumber, exactText, parseExact } from "./exact-json.ts";

const text =
  '{"id":9007199254740993,"text":"9007199254740993 \\"x\\" \\u0041","small":[1,-2.5,1e3,true,null]}';

test("a whole number that a double cannot hold survives, others are numbers", () => {
  const value = parseExact(text) as { id: unknown; text: string; small: unknown[] };
  expect(exactNumber(value.id)).toBe("9007199254740993");
  expect(value.text).toBe('9007199254740993 "x" A');
  expect(value.small).toEqual([1, -2.5, 1000, true, null]);
  expect(exactNumber(12)).toBeNull();
});

test("written again, it is the number it was", () => {
  expect(exactText(parseExact('{"a":-123456789012345678901}'), 0)).toBe('{"a":-123456789012345678901}');
  expect(exactText(undefined)).toBe("null");
});
