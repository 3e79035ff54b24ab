import { testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../clock.ts";
import { createEngine } from "../../engine.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { Database } from "../../store/connections/database.ts";
import { StatementTimeoutError } from "../../store/connections/database-error.ts";
import { Stores } from "../../store/stores.ts";
import { targetAt } from "../../test-support/target-at.ts";

const db = testDatabase();
beforeEach(() => db.reset());

const letters = definePipeline("letters", { payload: z.object({ to: z.string() }) })
  .stage("write", () => 1)
  .stage("send", { concurrency: 2 }, () => 2);

function anEngine() {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [letters], logger: null });
  onTestFinished(() => engine.stop());
  return engine;
}

test("pipelines come with their stages and the JSON Schema of their payload", async () => {
  const engine = anEngine();
  await engine.add(letters, { to: "Ada" });
  const [info] = await engine.reader().pipelines();
  expect(info).toMatchObject({
    name: "letters",
    version: 1,
    payloadSchema: { type: "object", required: ["to"] },
    stages: [
      { name: "write", pausedAt: null },
      { name: "send", concurrency: 2 },
    ],
  });
});

test("a read that takes longer than it may is ended, and the next one is answered", async () => {
  const engine = anEngine();
  const { id } = await engine.add(letters, { to: "Ada" });
  const reader = engine.reader({ connections: 1, statementTimeoutMs: 100 });
  expect(await reader.job(id)).toMatchObject({ id });
  const other = await db.connect();
  await other.query("begin; lock table lockstep.jobs in access exclusive mode");
  await expect(reader.job(id)).rejects.toThrow(StatementTimeoutError);
  await expect(reader.job(id)).rejects.toThrow("PostgreSQL took too long over this and ended it");
  await other.query("rollback");
  expect(await reader.job(id)).toMatchObject({ id });
});

test("what it reads on cannot write", async () => {
  const database = new Database({
    target: targetAt(db.url),
    connections: 1,
    transactionPooler: false,
    applicationName: "lockstep reader test",
    isReadOnly: true,
  });
  onTestFinished(() => database.close(systemClock));
  const stores = new Stores(database);
  expect(await stores.pipelines.list()).toEqual([]);
  await expect(stores.upkeep.foldCounters(0)).rejects.toThrow("PostgreSQL is read-only");
});

test("it is closed with its engine", async () => {
  const engine = anEngine();
  await engine.migrate();
  const reader = engine.reader();
  await reader.stats();
  await engine.stop();
  await expect(reader.stats()).rejects.toThrow("This engine was stopped");
});

test("the realtime log is read page by page, and until the place of another reader", async () => {
  const engine = anEngine();
  const reader = engine.reader();
  const { cursor: from } = await reader.events({ after: null });
  const first = await engine.add(letters, { to: "Ada" }, { owner: "ada" });
  await engine.add(letters, { to: "Bob" }, { owner: "bob" });
  const { cursor: until } = await reader.events({ after: from });
  await engine.add(letters, { to: "Ada" }, { owner: "ada" });
  const page = await reader.events({ after: from, owner: "ada", until });
  expect(page).toMatchObject({ events: [{ jobId: first.id }], cursor: until, isAll: true });
  expect(await reader.events({ after: from, limit: 2 })).toMatchObject({ isAll: false });
});
