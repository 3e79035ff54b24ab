import { expect, test } from "vitest";
import { filterWords, qualifier, suggestionsFor, withoutWord, withQualifier } from "./filter-words.ts";

const known = {
  pipelines: [
    { name: "document-ocr", stages: [{ name: "download" }, { name: "ocr" }] },
    { name: "site", stages: [{ name: "read" }] },
  ],
};

test("quotes keep a word together", () => {
  expect(filterWords('status:failed payload.doc:"a b.pdf"  tag:x')).toEqual([
    "status:failed",
    'payload.doc:"a b.pdf"',
    "tag:x",
  ]);
  expect(filterWords("  ")).toEqual([]);
});

test("a word is taken out by its place, a qualifier set by its name", () => {
  expect(withoutWord("tag:a tag:b tag:c", 1)).toBe("tag:a tag:c");
  expect(withQualifier("pipeline:a since:1h", "since", "24h")).toBe("pipeline:a since:24h");
  expect(withQualifier("pipeline:a since:1h", "since", null)).toBe("pipeline:a");
  expect(withQualifier("", "pipeline", "a b")).toBe('pipeline:"a b"');
  expect(qualifier('pipeline:"a b"', "pipeline")).toBe("a b");
});

test("suggestions are qualifiers first, then what is known of their values", () => {
  expect(suggestionsFor("pi", "", known).map(({ word }) => word)).toEqual(["pipeline:"]);
  expect(suggestionsFor("pipeline:d", "", known).map(({ word }) => word)).toEqual(["pipeline:document-ocr"]);
  expect(suggestionsFor("stage:", "pipeline:site", known).map(({ word }) => word)).toEqual(["stage:read"]);
  expect(suggestionsFor("owner:x", "", known)).toEqual([]);
});
