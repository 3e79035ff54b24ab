import { expect, test } from "vitest";
import { checkValue } from "./check-value.ts";
import { fieldKind, fieldLabel, type JsonSchema, startValue } from "./json-schema.ts";

const schema: JsonSchema = {
  type: "object",
  properties: {
    url: { type: "string", format: "uri" },
    depth: { type: "integer", minimum: 1, maximum: 5, default: 2 },
    kind: { enum: ["fast", "deep"] },
    tags: { type: "array", items: { type: "string", minLength: 2 } },
    note: { anyOf: [{ type: "string", maxLength: 3 }, { type: "null" }] },
    nested: { type: "object", properties: { on: { type: "boolean" } }, required: ["on"] },
    rest: { type: "object" },
  },
  required: ["url", "nested"],
};

test("each field is asked for in its own way, and what has none as JSON", () => {
  const kinds = Object.entries(schema.properties ?? {}).map(([name, each]) => [name, fieldKind(each)]);
  expect(Object.fromEntries(kinds)).toEqual({
    url: "text",
    depth: "whole",
    kind: "choice",
    tags: "list",
    note: "text",
    nested: "group",
    rest: "json",
  });
});

test("a form begins with the defaults and with what must be there", () => {
  expect(startValue(schema)).toEqual({ depth: 2, nested: { on: false } });
});

test("what is wrong is told by its pointer; what may be left out may", () => {
  const value = { url: "example.com", depth: 9, tags: ["ok", "x"], note: null, nested: {} };
  expect(Object.fromEntries(checkValue(value, schema))).toEqual({
    "/url": expect.stringContaining("full URL"),
    "/depth": "At most 5.",
    "/tags/1": "At least 2 characters.",
    "/nested/on": "This field is required.",
  });
  expect(checkValue({ url: "https://a.example", nested: { on: true } }, schema).size).toBe(0);
});

test("names are read as words", () => {
  expect([
    fieldLabel("startUrl", {}),
    fieldLabel("max_pages", {}),
    fieldLabel("x", { title: "The X" }),
  ]).toEqual(["Start url", "Max pages", "The X"]);
});
