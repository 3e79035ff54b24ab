import { ManualClock, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { Database } from "../../store/connections/database.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import { Stores } from "../../store/stores.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { PipelineRegistrar } from "./pipeline-registrar.ts";

const db = testDatabase();
const database = new Database({
  target: targetAt(db.url),
  connections: 2,
  transactionPooler: false,
  applicationName: "lockstep registrar test",
});
const stores = new Stores(database);
afterAll(() => database.close(systemClock));
beforeEach(() => db.reset());

const orders = definePipeline("orders")
  .stage("read", { maxAttempts: 5, maxLosses: 2, timeoutMs: null }, () => 1)
  .stage("send", { retry: { kind: "linear", baseMs: 1_000, capMs: 9_000, jitter: 0 } }, () => 2);
const letters = definePipeline("letters").stage("print", () => 1);

/** A registrar on the real store, which fails first as often as told. */
function aRegistrar(failures: Error[] = []) {
  const clock = new ManualClock();
  let tries = 0;
  const registrar = new PipelineRegistrar({
    pipelines: [orders, letters],
    clock,
    store: stores.pipelines,
    schema: {
      name: "lockstep",
      versions: async () => {
        tries += 1;
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return await stores.schema.versions();
      },
    },
  });
  return { registrar, clock, tries: () => tries };
}

const away = () => new DatabaseUnavailableError(new Error("gone"));

test("every pipeline becomes known with its stages' settings, and each stage gets its number", async () => {
  const stages = await aRegistrar().registrar.register();
  expect(stages.map(({ pipeline, definition }) => [pipeline.name, definition.name])).toEqual([
    ["orders", "read"],
    ["orders", "send"],
    ["letters", "print"],
  ]);
  expect(stages[0]?.nextId).toBe(stages[1]?.id);
  const rows = await db.query(
    "select id, name, ordinal, max_attempts, max_losses, timeout_ms::integer, retry_kind, retry_base_ms::integer from lockstep.stages order by array_position('{read,send,print}', name)",
  );
  expect(rows).toEqual([
    expect.objectContaining({
      id: stages[0]?.id,
      name: "read",
      ordinal: 1,
      max_attempts: 5,
      max_losses: 2,
      timeout_ms: null,
    }),
    expect.objectContaining({
      id: stages[1]?.id,
      name: "send",
      ordinal: 2,
      retry_kind: "linear",
      retry_base_ms: 1_000,
      timeout_ms: 300_000,
    }),
    expect.objectContaining({
      id: stages[2]?.id,
      name: "print",
      retry_kind: "exponential",
      retry_base_ms: 120_000,
    }),
  ]);
});

test("pipelines that the database knows are recognized, and nothing else is asked", async () => {
  const defined = await aRegistrar().registrar.register();
  const { registrar, tries } = aRegistrar();
  expect(registrar.recognition()).toBeDefined();
  const recognized = await registrar.register();
  expect(recognized.map(({ id, nextId }) => [id, nextId])).toEqual(
    defined.map(({ id, nextId }) => [id, nextId]),
  );
  expect(tries()).toBe(0);
  expect(registrar.recognition()).toBeUndefined();
});

test("they are registered once, however often and at once they are asked for", async () => {
  const { registrar, tries } = aRegistrar();
  const [first, second] = await Promise.all([registrar.register(), registrar.register()]);
  expect(second).toBe(first);
  expect(await registrar.register()).toBe(first);
  expect(tries()).toBe(1);
});

test("after a failure the next call tries again", async () => {
  const { registrar } = aRegistrar([away()]);
  await expect(registrar.register()).rejects.toThrow(DatabaseUnavailableError);
  await expect(registrar.register()).resolves.toHaveLength(3);
});

test("patiently, it tries every second until the database is there", async () => {
  const { registrar, clock, tries } = aRegistrar([away(), away()]);
  const registered = registrar.registerPatiently(new AbortController().signal);
  await clock.whenAsleep();
  await clock.advance(999);
  expect(tries()).toBe(1);
  await clock.advance(1);
  await clock.whenAsleep();
  await clock.advance(1_000);
  expect(await registered).toHaveLength(3);
  expect(tries()).toBe(3);
});

test("patience ends with the signal", async () => {
  const stopping = new AbortController();
  const { registrar, clock } = aRegistrar([away(), away()]);
  const registered = registrar.registerPatiently(stopping.signal);
  await clock.whenAsleep();
  stopping.abort();
  expect(await registered).toBeNull();
});

test("patience is not for what waiting cannot mend", async () => {
  const wrongPassword = new DatabaseUnavailableError(Object.assign(new Error("no"), { code: "28P01" }));
  const { registrar } = aRegistrar([wrongPassword]);
  await expect(registrar.registerPatiently(new AbortController().signal)).rejects.toThrow(
    /refuses this user/,
  );
});
