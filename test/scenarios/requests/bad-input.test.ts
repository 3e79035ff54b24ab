import { recordEvents, testDatabase } from "@lockstep/test-support";
import {
  AddOptionError,
  definePipeline,
  InvalidPayloadError,
  JobFailedError,
  PayloadTooLargeError,
  RefusedError,
  type StageContext,
} from "lockstep";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { storyEngine } from "../stories/story-engine.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);
beforeEach(() => db.reset());

const loose = definePipeline("loose").stage("run", () => "ran");
const strict = definePipeline("strict", { payload: z.object({ url: z.url() }) }).stage("run", () => "ran");

function nested(depth: number): unknown {
  let value: unknown = "the bottom";
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

test("bad input is refused at the door with a typed error, and changes nothing", async () => {
  const engine = storyEngine(db, { pipelines: [loose, strict] });
  const refusals = {
    "a payload over 256 KiB": [() => engine.add(loose, "x".repeat(256 * 1_024)), PayloadTooLargeError],
    "a NUL character": [() => engine.add(loose, { text: "a\0b" }), InvalidPayloadError],
    "half a surrogate pair": [() => engine.add(loose, { text: "a\uD800b" }), InvalidPayloadError],
    "nesting without measure": [() => engine.add(loose, nested(10_000)), InvalidPayloadError],
    "a cycle": [() => engine.add(loose, aCycle()), InvalidPayloadError],
    "a BigInt": [() => engine.add(loose, { amount: 1n }), InvalidPayloadError],
    "what the schema refuses": [() => engine.add(strict, { url: "no address" }), InvalidPayloadError],
    "priority 0": [() => engine.add(loose, null, { priority: 0 }), AddOptionError],
    "priority 21": [() => engine.add(loose, null, { priority: 21 }), AddOptionError],
    "a pipeline that nobody defined": [
      () =>
        engine.add(
          definePipeline("unknown").stage("run", () => "never"),
          null,
        ),
      RefusedError,
    ],
    "one bad payload among good ones": [
      () => engine.addMany(loose, [{ payload: "good" }, { payload: "bad\0" }]),
      InvalidPayloadError,
    ],
  } as const;

  for (const [what, [add, errorClass]] of Object.entries(refusals)) {
    await expect(add(), what).rejects.toThrow(errorClass);
  }
  expect(await engine.list()).toEqual([]);
});

test("the same input is refused by SQL alone", async () => {
  await db.call("define_pipeline", { p_name: "loose", p_stages: [{ name: "run" }] });
  const refused = [
    [{ p_pipeline: "unknown" }, "LS002"],
    [{ p_pipeline: "loose", p_priority: 0 }, "LS001"],
    [{ p_pipeline: "loose", p_priority: 21 }, "LS001"],
    [{ p_pipeline: "loose", p_payload: "x".repeat(256 * 1_024) }, "LS001"],
  ] as const;

  for (const [job, code] of refused) await expect(db.call("add_job", job)).rejects.toMatchObject({ code });
  expect(await db.query("select id from lockstep.jobs")).toEqual([]);
});

const handlers: Record<string, (context: StageContext) => unknown> = {
  "returns a cycle": aCycle,
  "returns a BigInt": () => ({ amount: 1n }),
  "returns too much": () => "x".repeat(2_000_000),
  "returns nesting without measure": () => nested(10_000),
  "throws null": () => {
    throw null;
  },
  "throws undefined": () => {
    throw undefined;
  },
  "throws text": () => {
    throw "just text";
  },
  "throws an object": () => {
    throw { reason: "an object" };
  },
  "throws a cycle": () => {
    throw aCycle();
  },
  "throws an unreadable value": () => {
    throw new Proxy(
      {},
      {
        get() {
          throw new Error("not to be read");
        },
      },
    );
  },
  "throws a message of 10 MB": () => {
    throw new Error("x".repeat(10_000_000));
  },
  "throws a message that PostgreSQL cannot store": () => {
    throw new Error("a\0b\uD800c");
  },
};

test("whatever a handler returns or throws is recorded as its job's failure, and its neighbours complete", async () => {
  const odd = definePipeline<string>("odd").stage("run", { maxAttempts: 1 }, (context) =>
    (handlers[context.payload] ?? (() => context.payload))(context),
  );
  const engine = storyEngine(db, { pipelines: [odd] });
  const events = recordEvents(engine);
  // A neighbour before and after each of them, so that they are claimed and settled together.
  const payloads = Object.keys(handlers).flatMap((name) => [`neighbour of one that ${name}`, name]);
  const added = await engine.addMany(
    odd,
    [...payloads, "the last neighbour"].map((payload) => ({ payload })),
  );
  await engine.start();

  for (const { id } of added) {
    const end = await engine.result(id, { timeoutMs: 60_000 }).catch((error) => error);
    const job = await engine.get(id);
    if (handlers[String(job?.payload)] === undefined) {
      expect(end).toBe(job?.payload);
      continue;
    }
    expect(end, String(job?.payload)).toBeInstanceOf(JobFailedError);
    expect(job).toMatchObject({
      status: "failed",
      error: { name: expect.any(String), message: expect.any(String) },
    });
    expect(JSON.stringify(job?.error).length).toBeLessThan(8_192);
    expect(job?.attempts.map(({ outcome }) => outcome)).toEqual(["failed"]);
  }
  const { id } = await engine.add(odd, "the worker goes on");
  expect(await engine.result(id, { timeoutMs: 60_000 })).toBe("the worker goes on");
  expect(events.all("engine.error")).toEqual([]);
});

test("text that PostgreSQL cannot store is cleaned in progress and logs, and in outputs where it was cut", async () => {
  const untidy = definePipeline("untidy").stage("run", ({ progress, log }) => {
    progress(50, "half\0way", { note: "a\0b", cycle: aCycle() });
    log.info("a\0b\uD800", { amount: 1n, text: "a\0b" });
    return { text: "b\uD800c", "key\uD800": 1 };
  });
  const engine = storyEngine(db, { pipelines: [untidy], progressIntervalMs: 0 });
  await engine.start();
  const { id } = await engine.add(untidy, null);

  expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ text: "b\uFFFDc", "key\uFFFD": 1 });
});

test.each([
  ["NaN", { list: [1, Number.NaN] }, "/list/1 is NaN, which JSON cannot carry"],
  ["a NUL character", { text: "a\0b" }, "/text holds a NUL character, which PostgreSQL cannot store"],
])(
  "an output with %s fails its job with the place, and is not changed in silence",
  async (_what, output, sentence) => {
    const untidy = definePipeline("untidy").stage("run", () => output);
    const engine = storyEngine(db, { pipelines: [untidy] });
    await engine.start();
    const { id } = await engine.add(untidy, null);

    await expect(engine.result(id, { timeoutMs: 60_000 })).rejects.toMatchObject({
      error: { code: "invalid_output", message: `The output is not valid: ${sentence}.` },
    });
  },
);

function aCycle(): unknown {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  return cycle;
}
