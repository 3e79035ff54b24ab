import { expect, test } from "vitest";
import { parseSource, safeFileName } from "./document-source.ts";

const hash = "ab".repeat(32);

test.each([
  ["https://example.com/files/letter.pdf?x=1", { kind: "url", name: "letter.pdf" }],
  ["http://example.com/", { kind: "url", name: "example.com" }],
  ["sample:letter.pdf", { kind: "sample", name: "letter.pdf" }],
  ["folder:A letter (2).pdf", { kind: "folder", name: "A letter (2).pdf" }],
  [`upload:${hash}`, { kind: "upload", sha256: hash, name: "document.pdf" }],
  ["register:2026-417", { kind: "register", id: "2026-417", name: "2026-417.pdf" }],
  ["register:17/Deed.pdf", { kind: "register", id: "17", name: "Deed.pdf" }],
  [`upload:${hash}/Brief.pdf`, { kind: "upload", sha256: hash, name: "Brief.pdf" }],
])("%s names a document", (text, expected) => {
  expect(parseSource(text)).toMatchObject(expected);
});

test.each([
  ...["", "letter.pdf", "file:///etc/passwd", "ftp://example.com/a.pdf", "http://", "upload:abc"],
  ...["folder:../secret.pdf", "folder:..", "folder:.hidden", "folder:a/b.pdf", "folder:a\\b.pdf", "folder:"],
  ...["folder:a\0.pdf", `folder:${"x".repeat(201)}`, `upload:${hash}/../x`, "sample:../package.json"],
  ...[
    "register:",
    "register:a b",
    "register:17/../x",
    "register:../a.pdf",
    "register:./a.pdf",
    `register:${"x".repeat(101)}`,
  ],
])("%j names none", (text) => {
  expect(parseSource(text)).toBeNull();
});

test.each([
  ["A letter.pdf", "A letter.pdf"],
  ["../../etc/passwd", "etc passwd"],
  ["..", "document.pdf"],
  ["", "document.pdf"],
  ["a\nb\0.pdf", "a b .pdf"],
  [`${"a".repeat(199)}😀.pdf`, `${"a".repeat(199)}\ufffd`],
])("a document called %j is kept as %j", (given, kept) => {
  expect(safeFileName(given)).toBe(kept);
});
