import { expect, test } from "vitest";
import { decodeHtml } from "./decode-html.ts";

const text = "<p>Grüße, café</p>";
const latin = (html: string) => Buffer.from(html, "latin1");

test.each<[what: string, bytes: Buffer, contentType: string | undefined, charset: string]>([
  ["the header", latin(text), "text/html; charset=ISO-8859-1", "windows-1252"],
  ["a quoted header", latin(text), 'text/html; charset="windows-1252"', "windows-1252"],
  ["the page", latin(`<meta charset=latin1>${text}`), "text/html", "windows-1252"],
  [
    "the old form in the page",
    latin(`<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-15">${text}`),
    undefined,
    "iso-8859-15",
  ],
  [
    "an XML declaration",
    latin(`<?xml version="1.0" encoding="iso-8859-1"?>${text}`),
    undefined,
    "windows-1252",
  ],
  [
    "the header before the page",
    Buffer.from(`<meta charset=latin1>${text}`),
    "text/html; charset=utf-8",
    "utf-8",
  ],
  ["a mark before the header", Buffer.from(`\ufeff${text}`), "text/html; charset=latin1", "utf-8"],
  ["a mark of two bytes", Buffer.from(`\ufeff${text}`, "utf16le"), undefined, "utf-16le"],
  ["nobody, being UTF-8", Buffer.from(text), undefined, "utf-8"],
  ["nobody, being anything else", latin(text), undefined, "windows-1252"],
  ["a name that nobody knows", Buffer.from(text), "text/html; charset=klingon", "utf-8"],
  [
    "a page that claims two bytes in single ones",
    Buffer.from(`<meta charset=utf-16>${text}`),
    undefined,
    "utf-8",
  ],
])("the charset is told by %s", (_what, bytes, contentType, charset) => {
  const decoded = decodeHtml(bytes, contentType);
  expect(decoded.html).toContain(text);
  expect(decoded.charset).toBe(charset);
});

test("a declaration beyond the first 1,024 bytes is not looked for", () => {
  const late = `${" ".repeat(1_100)}<meta charset=shift_jis>`;
  expect(decodeHtml(Buffer.from(late), undefined).charset).toBe("utf-8");
});
