import { testDatabase } from "@lockstep/test-support";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";

const db = testDatabase();
// Another number tells another story.
const seed = 20_261_118;

interface Verdict {
  schema: unknown;
  value: unknown;
  fits: boolean | null;
  hasPredicate: boolean;
  refusal: string | null;
}

/** What the predicate of a schema and the schema itself say of a value, for many pairs at once. */
function verdicts(pairs: readonly (readonly [schema: unknown, value: unknown])[]): Promise<Verdict[]> {
  return db.query<Verdict>(
    `select c.pair -> 0 as schema, c.pair -> 1 as value, c.predicate is not null as "hasPredicate",
       lockstep.fits_predicate(c.pair -> 1, c.predicate) as fits,
       lockstep.schema_refusal(c.pair -> 0, c.pair -> 1) as refusal
     from (
       select p.pair, ('strict ' || lockstep.schema_predicate(p.pair -> 0))::jsonpath as predicate
       from jsonb_array_elements($1::jsonb) p (pair)
     ) c`,
    [JSON.stringify(pairs)],
  );
}

// Few words and few texts, so that schema and value speak of the same things.
const word = fc.constantFrom("a", "b", "length", 'say "hi"\\', "ä\n/~", "$", "%s", "*");
const text = fc.oneof(
  word,
  fc.string({ unit: "binary", maxLength: 6 }).map((any) => any.replaceAll("\0", "")),
);
const number = fc.oneof(fc.integer({ min: -2, max: 4 }), fc.constantFrom(-0.5, 1.5, 1e20, 1e-9, 255, 256));
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(word, tie("value"), { maxKeys: 4 }),
  ),
}));
const type = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object", "text");
const odd = fc.constantFrom<unknown>(null, 7, "odd", [], [null], [["string"]], {}, { a: false });

const { schema } = fc.letrec((tie) => {
  const schemas = fc.array(tie("schema"), { maxLength: 3 });
  const named = fc.dictionary(word, tie("schema"), { maxKeys: 4 });
  const words = {
    type: fc.oneof(type, fc.array(type, { maxLength: 3 })),
    enum: fc.array(value, { maxLength: 4 }),
    const: value,
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    minLength: number,
    maxLength: number,
    minItems: number,
    maxItems: number,
    items: tie("schema"),
    prefixItems: schemas,
    properties: named,
    patternProperties: named,
    additionalProperties: tie("schema"),
    required: fc.array(word, { maxLength: 3 }),
    $ref: fc.constantFrom("#", "#/$defs/a", "#/properties/a", "#/none", "elsewhere"),
    $defs: named,
    allOf: schemas,
    anyOf: schemas,
    oneOf: schemas,
    not: tie("schema"),
    pattern: text,
  };
  const oddly = Object.fromEntries(
    Object.entries(words).map(([name, arbitrary]) => [
      name,
      fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: odd }),
    ]),
  );
  const some = fc
    .subarray(Object.keys(words), { minLength: 1, maxLength: 4 })
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, oddly[name] ?? odd]))));
  return {
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.boolean(),
      type.map((name) => ({ type: name })),
      some,
      some,
    ),
  };
});

test("what the predicate of any schema takes, the schema does not refuse; and it says yes or no", async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(schema, fc.array(value, { minLength: 4, maxLength: 8 })), {
        minLength: 20,
        maxLength: 40,
      }),
      async (cases) => {
        const pairs = cases.flatMap(([s, values]) => values.map((v) => [s, v] as const));
        for (const verdict of await verdicts(pairs)) {
          if (!verdict.hasPredicate) continue;
          expect(verdict.fits, JSON.stringify(verdict)).not.toBeNull();
          if (!verdict.fits) continue;
          expect(verdict.refusal, JSON.stringify(verdict)).toBeNull();
          taken++;
        }
      },
    ),
    { seed, numRuns: 15 },
  );
  expect(taken).toBeGreaterThan(300);
});

const order = z.object({
  id: z.uuid(),
  amount: z.int().min(-5).max(5),
  share: z.number().positive().lt(1),
  note: z.string().min(1).max(300).optional(),
  tags: z.array(z.string().min(2).max(8)).min(1).max(3),
  kind: z.enum(["sale", 'say "no"']),
  flag: z.literal([true, 7, null]),
  owner: z.string().nullable(),
  size: z.tuple([z.number(), z.string()]).rest(z.boolean()),
  extra: z.record(z.string(), z.number()),
  proof: z.discriminatedUnion("by", [
    z.strictObject({ by: z.literal("mail"), to: z.string() }),
    z.strictObject({ by: z.literal("none") }),
  ]),
  never: z.never().optional(),
  'a/b "c"': z.boolean().optional(),
});
const given: z.input<typeof order> = {
  id: "8fd1e7b0-1111-4111-8111-111111111111",
  amount: -5,
  share: 0.5,
  note: "ä",
  tags: ["ab", "cd"],
  kind: 'say "no"',
  flag: null,
  owner: null,
  size: [1, "m", true],
  extra: { any: 1 },
  proof: { by: "none" },
  'a/b "c"': true,
};
const { note: _, ...without } = given;

test.each<[string, unknown]>([
  ["all of it", given],
  ["without what may be left out, and with more", { ...without, more: [1] }],
  [
    "the other of two forms",
    { ...given, proof: { by: "mail", to: "ada" }, owner: "ada", flag: 7, extra: {} },
  ],
  ["texts of the largest size", { ...given, note: "n".repeat(300), tags: ["12345678"] }],
])("what a validator takes, its predicate takes, so that nothing is walked: %s", async (_what, value) => {
  expect(order.safeParse(value)).toMatchObject({ success: true });
  expect(await verdicts([[z.toJSONSchema(order, { io: "input" }), value]])).toMatchObject([{ fits: true }]);
});

test("what is wrong in one place is left to the schema, whatever the place", async () => {
  const wrong: Record<string, unknown[]> = {
    id: [1, undefined],
    amount: [-6, 6, 1.5, "1"],
    share: [0, 1],
    note: ["", "n".repeat(301), 7],
    tags: [[], ["a"], ["123456789"], ["ab", "ab", "ab", "ab"], ["ab", 1], [["ab"]], "ab"],
    kind: ["other", ["sale"], 1],
    flag: [false, 8, "7"],
    owner: [1],
    size: [[1], ["m", 1], [1, "m", 1], {}],
    extra: [{ any: "1" }, [1], null],
    proof: [{ by: "mail" }, { by: "none", to: "ada" }, {}, []],
    never: [1, null],
    'a/b "c"': [1],
  };
  const values = Object.entries(wrong).flatMap(([key, list]) =>
    list.map((value) => ({ ...given, [key]: value })),
  );
  for (const value of values)
    expect(order.safeParse(value), JSON.stringify(value)).toMatchObject({ success: false });
  const json = z.toJSONSchema(order, { io: "input" });
  for (const { fits, refusal, value } of await verdicts(values.map((value) => [json, value]))) {
    expect(fits, JSON.stringify(value)).toBe(false);
    expect(refusal, JSON.stringify(value)).not.toBeNull();
  }
});

test("a schema that leads back to itself is said some levels deep, one that takes too many words not at all", async () => {
  const tree = { properties: { under: { type: "array", items: { $ref: "#" } } } };
  const long = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field ${n}`, { type: "string" }]));
  expect(
    await verdicts([
      [tree, { under: [{ under: [{}] }] }],
      [tree, { under: [{ under: 1 }] }],
      [{ allOf: Array(20).fill({ $ref: "#" }) }, 1],
      [{ properties: long }, { "field 1": "text" }],
      [{ properties: long }, { "field 1": 1 }],
    ]),
  ).toMatchObject([
    { fits: true },
    { fits: false, refusal: "/under/0/under must be of type array, not 1" },
    { hasPredicate: false, refusal: null },
    { hasPredicate: false, refusal: null },
    { hasPredicate: false, refusal: "/field 1 must be of type string, not 1" },
  ]);
});
