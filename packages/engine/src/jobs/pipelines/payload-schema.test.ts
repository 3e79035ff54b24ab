import { expect, test } from "vitest";
import { z } from "zod";
import { payloadSchemaOf } from "./payload-schema.ts";

test("a zod schema is told as the JSON Schema of what add takes", () => {
  expect(payloadSchemaOf(z.object({ url: z.url(), depth: z.number().default(3) }))).toMatchObject({
    type: "object",
    properties: { url: { type: "string", format: "uri" }, depth: { type: "number", default: 3 } },
    required: ["url"],
  });
});

test("no schema, one that cannot be told, and a validator without the ability give none", () => {
  expect(payloadSchemaOf(null)).toBeNull();
  expect(payloadSchemaOf(z.object({ at: z.date() }))).toBeNull();
  expect(
    payloadSchemaOf({ "~standard": { version: 1, vendor: "ours", validate: (value) => ({ value }) } }),
  ).toBeNull();
});
