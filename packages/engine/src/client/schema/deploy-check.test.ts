import { testDatabase } from "@lockstep/test-support";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type AnyPipeline, createEngine, definePipeline, type Engine, SchemaMissingError } from "lockstep";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const db = testDatabase();
beforeEach(() => db.reset());

const nothing = () => null;
const oldOrders = definePipeline<{ order?: number | string }>("orders")
  .stage("read", nothing)
  .stage("write", nothing);
const letters = definePipeline("letters").stage("send", nothing);

function engineOf(...pipelines: AnyPipeline[]): Engine {
  const engine = createEngine({ databaseUrl: db.url, pipelines, logger: null });
  onTestFinished(() => engine.stop());
  return engine;
}

/** By age; those of one millisecond are in the order of chance. */
function sortedIds(added: readonly { id: string }[]): string[] {
  return added.map(({ id }) => id).sort();
}

test("code that can run every job in flight finds nothing", async () => {
  const engine = engineOf(oldOrders, letters);
  await engine.add(oldOrders, { order: 1 });
  await engine.add(letters, {}, { scheduledFor: new Date(Date.now() + 60_000) });
  expect(await engine.check()).toEqual([]);
});

test("jobs of a pipeline this code does not have are counted, the oldest of them named", async () => {
  const added = await engineOf(letters).addMany(
    letters,
    Array.from({ length: 12 }, () => ({ payload: null })),
  );
  const found = await engineOf(oldOrders).check();
  expect(found).toEqual([
    {
      pipeline: "letters",
      stage: "send",
      reason: "unknown_pipeline",
      jobs: 12,
      firstIds: sortedIds(added).slice(0, 10),
      explanation: expect.stringMatching(
        /^12 jobs in flight in letters\/send, a pipeline this code does not/,
      ),
    },
  ]);
});

test("what other code serves is left to it", async () => {
  await engineOf(letters).add(letters, null);
  expect(await engineOf(oldOrders).check({ ignore: ["letters"] })).toEqual([]);
});

test("jobs of a stage that was left out are found in whatever status they wait", async () => {
  const engine = engineOf(oldOrders);
  const { id: pending } = await engine.add(oldOrders, {});
  const later = { scheduledFor: new Date(Date.now() + 60_000) };
  const { id: scheduled } = await engine.add(oldOrders, {}, later);
  const { id: gone } = await engine.add(oldOrders, {});
  await engine.cancel(gone);
  const newOrders = definePipeline("orders").stage("accept", nothing).stage("write", nothing);
  expect(await engineOf(newOrders).check()).toMatchObject([
    { stage: "read", reason: "unknown_stage", jobs: 2, firstIds: [pending, scheduled].sort() },
  ]);
});

test("payloads that the new schema refuses are counted, with what it says of the first", async () => {
  const added = await engineOf(oldOrders).addMany(oldOrders, [
    { payload: { order: 1 } },
    { payload: { order: "two" } },
    { payload: { order: "three" } },
  ]);
  const stricter = definePipeline("orders", { payload: z.object({ order: z.number() }) })
    .stage("read", nothing)
    .stage("write", nothing);
  const [found, ...others] = await engineOf(stricter).check();
  expect(others).toEqual([]);
  expect(found).toMatchObject({ stage: "read", reason: "invalid_payload", jobs: 2 });
  const refused = sortedIds(added.slice(1));
  expect(found?.firstIds).toEqual(refused);
  expect(found?.explanation).toContain(`first job ${refused[0]}: The payload is not valid: /order: `);
});

test("an asynchronous schema is waited for, and one that throws is a refusal", async () => {
  await engineOf(letters).addMany(letters, [{ payload: "fine" }, { payload: "odd" }]);
  const schema: StandardSchemaV1 = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: async (value) => {
        if (value === "odd") throw new Error("the dictionary is gone");
        return { value };
      },
    },
  };
  const checked = definePipeline("letters", { payload: schema }).stage("send", nothing);
  expect(await engineOf(checked).check()).toMatchObject([
    {
      reason: "invalid_payload",
      jobs: 1,
      explanation: expect.stringContaining("the dictionary is gone"),
    },
  ]);
});

test("a backlog of many pages is read to its end", async () => {
  const engine = engineOf(oldOrders);
  await engine.addMany(
    oldOrders,
    Array.from({ length: 1_200 }, (_, order) => ({ payload: { order } })),
  );
  await engine.add(oldOrders, { order: "last" });
  const stricter = definePipeline("orders", { payload: z.object({ order: z.number() }) })
    .stage("read", nothing)
    .stage("write", nothing);
  expect(await engineOf(stricter).check()).toMatchObject([{ jobs: 1 }]);
});

test("it defines nothing and moves nothing", async () => {
  const engine = engineOf(oldOrders);
  await engine.add(oldOrders, {});
  const before = await stored();
  await engineOf(definePipeline("orders").stage("accept", nothing), letters).check();
  expect(await stored()).toEqual(before);
});

async function stored(): Promise<unknown> {
  return [
    await db.query("select * from lockstep.pipelines order by id"),
    await db.query("select * from lockstep.stages order by id"),
    await db.query("select * from lockstep.jobs order by id"),
  ];
}

test("a wrong option is refused with the one that was meant", async () => {
  const wrong = { ignored: [] } as object;
  await expect(engineOf(letters).check(wrong)).rejects.toThrow(
    'Unknown option "ignored" of check. Did you mean "ignore"?',
  );
});

test("a database without the schema is refused with what to run", async () => {
  const url = new URL(db.url);
  url.pathname = "/postgres";
  const engine = createEngine({ databaseUrl: url.href, pipelines: [letters], logger: null });
  onTestFinished(() => engine.stop());
  await expect(engine.check()).rejects.toThrow(SchemaMissingError);
});

test("a stage that would become a wait is found, with or without jobs in it", async () => {
  const engine = engineOf(oldOrders);
  const { id } = await engine.add(oldOrders, { order: 1 });
  const waits = definePipeline<{ order?: number | string }>("orders")
    .stage("begin", nothing)
    .wait("read", {})
    .sleep("write", { forMs: 5 });
  expect(await engineOf(waits).check()).toMatchObject([
    {
      stage: "read",
      reason: "changed_stage",
      jobs: 1,
      firstIds: [id],
      explanation: expect.stringMatching(/^Stage orders\/read is of the kind work in the database/),
    },
    { stage: "write", reason: "changed_stage", jobs: 0, firstIds: [] },
  ]);
});

test("jobs in a wait that was dropped go on without it, and are not found", async () => {
  const waits = definePipeline("orders").stage("read", nothing).wait("answer", {}).stage("write", nothing);
  const engine = engineOf(waits);
  const { id } = await engine.add(waits, {});
  await engine.start();
  await expect.poll(async () => (await engine.get(id))?.stage, { timeout: 10_000 }).toBe("answer");
  expect(await engineOf(oldOrders).check()).toEqual([]);
});
