import { testDatabase } from "@lockstep/test-support";
import fc from "fast-check";
import { definePipeline, InvalidPayloadError, JobFailedError } from "lockstep";
import { beforeEach, expect, test } from "vitest";
import { storyEngine } from "../scenarios/stories/story-engine.ts";
import { verifyAfterEach } from "../scenarios/stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);
beforeEach(() => db.reset());
// Another number tells another story.
const seed = 20_261_116;

const echo = definePipeline<{ value: unknown }>("echo")
  .stage("give", ({ payload }) => payload.value)
  .stage("take", ({ output }) => output);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}

const known: readonly unknown[] = [
  JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": {"prototype": 1}}'),
  { "": { " ": null }, toString: "text", length: -1 },
  JSON.parse('{"a": 1, "a": 2}'),
  ["\uFEFFbom", "\u2028", "\uFFFE", "😀", "\u202E", "\u0001"],
  [Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, Number.MIN_VALUE, 1e21, 0.1 + 0.2, -1e-7],
  nested(60),
  "x".repeat(200_000),
];

test("whatever an add accepts, the handler is handed, the next stage gets and the result is", async () => {
  // What JSON itself cannot tell from another value is not its own: -0 is 0.
  const json = fc
    .jsonValue({ maxDepth: 6, stringUnit: "binary" })
    .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
    .filter((value) => !JSON.stringify(value).includes("\\u0000"));
  const values = [...known, ...fc.sample(json, { seed, numRuns: 300 })];
  const engine = storyEngine(db, { pipelines: [echo] });
  const added = await engine.addMany(
    echo,
    values.map((value) => ({ payload: { value } })),
  );
  await engine.start();
  for (const [index, { id }] of added.entries()) {
    expect(await engine.result(id, { timeoutMs: 20_000 })).toEqual(values[index]);
    expect((await engine.get(id))?.payload).toEqual({ value: values[index] });
  }
});

test("what no JSON can carry is refused at the door, wherever it stands", async () => {
  const engine = storyEngine(db, { pipelines: [echo] });
  const unfit: Record<string, unknown> = {
    infinity: Number.POSITIVE_INFINITY,
    "not a number": Number.NaN,
    "a BigInt": 1n,
    NUL: "\0",
    "half a surrogate pair": "\uDC00",
    "nesting without measure": nested(100_000),
  };
  for (const [what, value] of Object.entries(unfit)) {
    for (const payload of [{ value }, { value: [[value]] }, { value: { deep: { value } } }]) {
      await expect(engine.add(echo, payload), what).rejects.toThrow(InvalidPayloadError);
    }
  }
  for (const key of ["\0", "\uD800"]) {
    await expect(engine.add(echo, { value: { [key]: 1 } })).rejects.toThrow(InvalidPayloadError);
  }
  expect(await engine.list()).toEqual([]);
});

class Hostile extends Error {
  override get message(): string {
    throw new Error("not to be read");
  }
}

const thrown: Record<string, () => unknown> = {
  "a BigInt": () => 10n,
  "a symbol": () => Symbol("s"),
  "a function": () => () => 1,
  "not a number": () => Number.NaN,
  "an error without prototype": () => Object.setPrototypeOf(new Error("odd"), null),
  "a message that is no text": () => Object.assign(new Error(), { message: { deep: [1n] } }),
  "a message that cannot be read": () => new Hostile(),
  "a name of NUL": () => Object.assign(new Error("odd"), { name: "\0\uD800" }),
  "a cause that is itself": () => {
    const error = new Error("odd");
    return Object.assign(error, { cause: error });
  },
  "a stack of 10 MB": () => Object.assign(new Error("odd"), { stack: "x".repeat(10_000_000) }),
  "many errors at once": () => new AggregateError(Array.from({ length: 1_000 }, () => new Error("one"))),
  "what says it is JSON": () => ({
    toJSON() {
      throw new Error("it is not");
    },
  }),
  "a promise": () => Promise.resolve(1),
};

test("whatever is thrown ends in a failure that is recorded, and the worker goes on", async () => {
  const odd = definePipeline<string>("odd").stage("run", { maxAttempts: 1 }, ({ payload }) => {
    const make = thrown[payload];
    if (make !== undefined) throw make();
    return payload;
  });
  const engine = storyEngine(db, { pipelines: [odd] });
  const names = Object.keys(thrown);
  const added = await engine.addMany(
    odd,
    names.map((payload) => ({ payload })),
  );
  await engine.start();
  for (const [index, { id }] of added.entries()) {
    const end = await engine.result(id, { timeoutMs: 20_000 }).catch((error: unknown) => error);
    expect(end, names[index]).toBeInstanceOf(JobFailedError);
    const job = await engine.get(id);
    expect(job?.error, names[index]).toMatchObject({ name: expect.any(String), message: expect.any(String) });
    expect(JSON.stringify(job?.error).length).toBeLessThan(8_192);
  }
  const { id } = await engine.add(odd, "the worker goes on");
  expect(await engine.result(id, { timeoutMs: 20_000 })).toBe("the worker goes on");
});
