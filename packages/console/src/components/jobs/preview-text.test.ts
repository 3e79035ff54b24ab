import { expect, test } from "vitest";
import { previewText } from "./preview-text.ts";

test.each([
  ['{"url": "https://example.com/47", "depth": 2}', "url=https://example.com/47 depth=2"],
  ['{"doc": "a b.pdf", "isOld": true}', 'doc="a b.pdf" isOld=true'],
  ['{"url": "https://example.com/a-very-lo', "url=https://example.com/a-very-lo"],
  ['{"pages": [1, 2], "of": {"id": 7}}', "pages=[1 2] of={id=7}"],
  ['"only a text"', '"only a text"'],
  ["{}", ""],
  ["null", ""],
  [null, ""],
])("the payload %s reads %s", (preview, text) => {
  expect(previewText(preview)).toBe(text);
});
