import { expect, test } from "vitest";
import { readLinks } from "./read-links.ts";

test("links are read from commas and lines, and an address may have an = of its own", () => {
  const text = "Website analysis=http://127.0.0.1:4600, Documents = /ocr\n\nSearch=https://example.com/?q=a,";
  expect(readLinks(text)).toEqual([
    { title: "Website analysis", url: "http://127.0.0.1:4600" },
    { title: "Documents", url: "/ocr" },
    { title: "Search", url: "https://example.com/?q=a" },
  ]);
});

test("a variable that is not set, or is empty, holds none", () => {
  expect([readLinks(undefined), readLinks("")]).toEqual([[], []]);
});

test.each([
  ["no =", "Documents=/ocr, http://127.0.0.1:4600", 'a link, number 2, that has no "=".'],
  ["no title", "=/ocr", "a link, number 1, that needs a title of 1 to 80 characters."],
  ["no address", "Documents=", "a link, number 1, that needs a url that is"],
  ["a program", "Documents=javascript:alert(1)", "a link, number 1, that needs a url that is"],
])("%s is refused with what is right", (_what, text, sentence) => {
  expect(() => readLinks(text)).toThrow(
    expect.objectContaining({
      exit: "usage",
      message: expect.stringContaining(`LOCKSTEP_LINKS has ${sentence}`),
      advice: expect.stringContaining("Write them as"),
    }),
  );
});
