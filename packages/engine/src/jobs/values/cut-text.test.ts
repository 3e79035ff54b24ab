import { expect, test } from "vitest";
import { cutToJsonBytes } from "./cut-text.ts";

function jsonBytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

test.each([
  ["short", 100, "short"],
  ["exactly10!", 10, "exactly10!"],
  ["exactly11!!", 10, "exactly…"],
  ["", 0, ""],
  ["äöüäöü", 9, "äöü…"],
  ["😀😀😀", 11, "😀😀…"],
  ['""""""', 9, '"""…'],
])("%j cut to %d bytes is %j", (text, limitBytes, cut) => {
  expect(cutToJsonBytes(text, limitBytes)).toBe(cut);
});

test("no cut takes more bytes than allowed, and none splits a surrogate pair", () => {
  const text = 'a"\\\n\u0001é€😀\u2028'.repeat(40);
  for (let limitBytes = 3; limitBytes < 900; limitBytes++) {
    const cut = cutToJsonBytes(text, limitBytes);
    expect(jsonBytesOf(cut)).toBeLessThanOrEqual(limitBytes);
    expect(/\p{Surrogate}/u.test(cut)).toBe(false);
  }
  expect(cutToJsonBytes(text, jsonBytesOf(text) * 3)).toBe(text);
});
