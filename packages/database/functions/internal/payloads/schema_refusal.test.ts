import { testDatabase } from "@lockstep/test-support";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const db = testDatabase();

async function refusal(schema: unknown, value: unknown): Promise<string | null> {
  const [row] = await db.query<{ refusal: string | null }>(
    "select lockstep.schema_refusal($1::jsonb, $2::jsonb) as refusal",
    [JSON.stringify(schema), JSON.stringify(value)],
  );
  return row?.refusal ?? null;
}

const tree: z.ZodType = z.object({ name: z.string(), under: z.array(z.lazy(() => tree)).optional() });

const page = z.object({
  url: z.url(),
  depth: z.int().min(1).max(5).default(1),
  tags: z.array(z.string().min(2).max(8)).max(3).optional(),
  kind: z.enum(["html", "pdf"]).optional(),
  owner: z.string().nullable().optional(),
  size: z.tuple([z.number(), z.number().positive()]).optional(),
  extra: z.record(z.string(), z.number()).optional(),
  proof: z
    .discriminatedUnion("by", [
      z.strictObject({ by: z.literal("mail"), to: z.string() }),
      z.strictObject({ by: z.literal("none") }),
    ])
    .optional(),
  tree: tree.optional(),
  "a/b~c": z.boolean().optional(),
  old: z.never().optional(),
  anything: z.unknown().optional(),
});

const good = { url: "https://example.com/" };

describe("a value that the validator refuses is refused by its schema, with the place and what is expected:", () => {
  test.each<[unknown, string]>([
    [null, "it must be of type object, not null"],
    [[], "it must be of type object, not array"],
    [{}, "/url is required"],
    [{ url: 7 }, "/url must be of type string, not 7"],
    [{ ...good, depth: 1.5 }, "/depth must be of type integer, not 1.5"],
    [{ ...good, depth: 0 }, "/depth must be at least 1"],
    [{ ...good, depth: 6 }, "/depth must be at most 5"],
    [{ ...good, tags: ["a"] }, "/tags/0 must have at least 2 characters"],
    [{ ...good, tags: ["good", "much too long"] }, "/tags/1 must have at most 8 characters"],
    [{ ...good, tags: ["aa", "bb", "cc", "dd"] }, "/tags must have at most 3 items"],
    [{ ...good, kind: "doc" }, '/kind must be one of ["html", "pdf"]'],
    [{ ...good, owner: 1 }, "/owner must be of type string or null, not 1"],
    [{ ...good, size: [1, 0] }, "/size/1 must be above 0"],
    [{ ...good, extra: { a: 1, b: "2" } }, "/extra/b must be of type number, not string"],
    [{ ...good, proof: { by: "mail" } }, "/proof/to is required, or /proof/by must be none"],
    [{ ...good, proof: { by: "none", to: "ada" } }, "/proof/by must be mail, or /proof/to is not allowed"],
    [
      { ...good, tree: { name: "a", under: [{ name: "b", under: [{}] }] } },
      "/tree/under/0/under/0/name is required",
    ],
    [{ ...good, "a/b~c": 1 }, "/a~1b~0c must be of type boolean, not 1"],
    [{ ...good, old: 1 }, "/old is not allowed"],
  ])("%j", async (value, sentence) => {
    const schema = z.toJSONSchema(page, { io: "input" });
    expect(page.safeParse(value).success).toBe(false);
    expect(await refusal(schema, value)).toBe(sentence);
  });
});

test("a value that the validator takes is never refused", async () => {
  const schema = z.toJSONSchema(page, { io: "input" });
  const taken = [
    good,
    { ...good, depth: 5, tags: ["ab", "äöü"], kind: "pdf", owner: null, size: [0, 1], extra: {}, more: 1 },
    { ...good, owner: "ada", proof: { by: "mail", to: "ada" }, tree: { name: "a", under: [{ name: "b" }] } },
    { ...good, proof: { by: "none" }, "a/b~c": true, anything: { at: "all" } },
  ];
  for (const value of taken) {
    expect(page.safeParse(value)).toMatchObject({ success: true });
    expect(await refusal(schema, value)).toBeNull();
  }
});

test.each<[string, unknown, unknown]>([
  ["a pattern", { type: "string", pattern: "^a$" }, "b"],
  ["a pattern whose flag the schema does not tell", z.toJSONSchema(z.string().regex(/^a$/i)), "A"],
  ["a format", { type: "string", format: "email" }, "nobody"],
  ["characters that JavaScript counts twice", { type: "string", minLength: 2 }, "😀"],
  ["not", { not: { type: "string" } }, "text"],
  ["a reference that leads nowhere", { $ref: "#/$defs/none" }, 1],
  ["a reference to elsewhere", { $ref: "https://example.com/schema" }, 1],
  ["a schema that is none", 7, 1],
  [
    "numbers that are none",
    { minimum: "1", maxLength: {}, required: 1, properties: [], items: [{ type: "null" }] },
    [0],
  ],
  ["a schema that leads back to itself", { $ref: "#" }, 1],
  ["one that does so in many ways", { anyOf: Array(9).fill({ allOf: [{ $ref: "#" }, { $ref: "#" }] }) }, 1],
  ["two of oneOf", { oneOf: [{ type: "number" }, { minimum: 1 }] }, 2],
])("what there is no word for counts as fitting: %s", async (_what, schema, value) => {
  expect(await refusal(schema, value)).toBeNull();
});
