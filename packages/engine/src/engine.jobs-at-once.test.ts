// In real time: whole engines, with their heartbeat threads and PostgreSQL's clock.
import { testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline, type Engine, type EngineOptions } from "lockstep";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";

const db = testDatabase();

const tickMs = 10;

let steps: string[];
let atOnce: number;
let mostAtOnce: number;
beforeEach(async () => {
  await db.reset();
  steps = [];
  atOnce = 0;
  mostAtOnce = 0;
});

async function step(stage: string, payload: string): Promise<void> {
  steps.push(`${stage} ${payload}`);
  atOnce += 1;
  mostAtOnce = Math.max(mostAtOnce, atOnce);
  // All that run at the same time end at the same time, and so leave room for as many at once.
  await new Promise((resolve) => setTimeout(resolve, tickMs - (performance.now() % tickMs)));
  atOnce -= 1;
}

const orders = definePipeline<string>("orders")
  .stage("read", ({ payload }) => step("read", payload))
  .stage("check", ({ payload }) => step("check", payload))
  .stage("write", ({ payload }) => step("write", payload));

async function aWorker(options: Partial<EngineOptions>): Promise<Engine> {
  const engine = createEngine({
    databaseUrl: db.url,
    pipelines: [orders],
    logger: null,
    pollIntervalMs: 3_600_000,
    ...options,
  });
  onTestFinished(() => engine.stop());
  await engine.start();
  return engine;
}

function anAdder(pipelines: EngineOptions["pipelines"]): Engine {
  const engine = createEngine({ databaseUrl: db.url, pipelines, logger: null });
  onTestFinished(() => engine.stop());
  return engine;
}

const ended = (engine: Engine, ids: readonly string[]) =>
  Promise.all(ids.map((id) => engine.result(id, { timeoutMs: 30_000 })));

async function add(engine: Engine, payloads: readonly string[]): Promise<string[]> {
  const added = await engine.addMany(
    orders,
    payloads.map((payload) => ({ payload })),
  );
  return added.map(({ id }) => id);
}

/** Jobs that another worker has read, and nobody has checked. */
async function addRead(payloads: readonly string[]): Promise<string[]> {
  const reader = await aWorker({ stages: ["orders/read"] });
  const ids = await add(reader, payloads);
  await vi.waitFor(async () => {
    for (const id of ids) expect(await reader.get(id)).toMatchObject({ stage: "check", status: "pending" });
  }, 30_000);
  await reader.stop();
  return ids;
}

test("a worker that may have one job at a time takes it through all stages before the next", async () => {
  const worker = await aWorker({ jobsAtOnce: 1 });
  await ended(worker, await add(worker, ["a", "b", "c"]));
  expect(steps).toEqual(
    ["a", "b", "c"].flatMap((payload) => [`read ${payload}`, `check ${payload}`, `write ${payload}`]),
  );
  expect(mostAtOnce).toBe(1);
});

test("the bound holds for all stages together, and is made use of", async () => {
  const worker = await aWorker({ jobsAtOnce: 4 });
  const payloads = Array.from({ length: 40 }, (_, at) => String(at));
  await ended(worker, await add(worker, payloads));
  expect(mostAtOnce).toBe(4);
  expect(steps).toHaveLength(120);
});

test("jobs that others left behind get their turn beside a first stage with many", async () => {
  const left = await addRead(["left"]);
  const adder = createEngine({ databaseUrl: db.url, pipelines: [orders], logger: null });
  onTestFinished(() => adder.stop());
  const many = await add(
    adder,
    Array.from({ length: 20 }, (_, at) => String(at)),
  );
  const worker = await aWorker({ jobsAtOnce: 1 });
  await ended(worker, [...left, ...many]);
  expect(steps.indexOf("check left")).toBeLessThan(steps.indexOf("read 5"));
});

test("a sleeping worker is woken for a job of whichever stage", async () => {
  const pipelines = ["first", "second", "third"].map((name) =>
    definePipeline(name).stage("only", () => name),
  );
  const worker = await aWorker({ jobsAtOnce: 1, pipelines });
  const adder = anAdder(pipelines);
  for (const pipeline of pipelines) {
    await vi.waitFor(async () => {
      const rows = await db.query("select cardinality(waiting_stage_ids) as stages from lockstep.workers");
      expect(rows).toEqual([{ stages: 3 }]);
    }, 30_000);
    const { id } = await adder.add(pipeline, null);
    expect(await worker.result(id, { timeoutMs: 30_000 })).toBe(pipeline.name);
  }
});
