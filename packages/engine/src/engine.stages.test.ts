// In real time: whole engines, with their heartbeat threads and PostgreSQL's clock.
import { recordEvents, testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline, type Engine, type EngineOptions } from "lockstep";
import { beforeEach, expect, onTestFinished, test } from "vitest";

const db = testDatabase();
beforeEach(() => db.reset());

const orders = definePipeline<number>("orders")
  .stage("read", ({ payload }) => payload)
  .stage("write", ({ output }) => output * 2);

async function aWorker(options: Partial<EngineOptions>): Promise<Engine> {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [orders], logger: null, ...options });
  onTestFinished(() => engine.stop());
  await engine.start();
  return engine;
}

test("a worker serves only the stages it is given, and another goes on with the job", async () => {
  const reader = await aWorker({ stages: ["orders/read"], workerName: "reader" });
  const advanced = new Promise<void>((resolve) => {
    reader.on("job.advanced", () => resolve());
  });
  const { id } = await reader.add(orders, 21);
  await advanced;
  expect(await reader.get(id)).toMatchObject({ status: "pending", stage: "write" });
  expect(await reader.workers()).toMatchObject([{ name: "reader", stages: ["orders/read"] }]);

  await aWorker({ stages: ["orders/write"] });
  expect(await reader.result(id, { timeoutMs: 10_000 })).toBe(42);
});

test("a worker does not run a stage that a newer definition no longer has, and tells that the job is completed", async () => {
  const ran: string[] = [];
  const newer = definePipeline<number>("letters", { version: 2 }).stage("read", ({ payload }) => payload);
  const deploying = createEngine({ databaseUrl: db.url, pipelines: [newer], logger: null });
  onTestFinished(() => deploying.stop());
  const older = definePipeline<number>("letters", { version: 1 })
    .stage("read", async ({ payload }) => {
      ran.push(`read ${payload}`);
      // The new release comes while the handler runs.
      if (payload === 1) await deploying.add(newer, 2);
      return payload;
    })
    .stage("write", ({ payload }) => void ran.push(`write ${payload}`));
  const worker = await aWorker({ pipelines: [older] });
  const told = recordEvents(worker);
  const { id } = await worker.add(older, 1);
  await told.next("job.completed", ({ jobId }) => jobId === id);
  expect(await worker.get(id)).toMatchObject({ status: "completed", stage: "read", result: 1 });
  // The other job is read after it: by then the stage would have run.
  await told.next("job.completed", ({ jobId }) => jobId !== id);
  expect(ran).toEqual(["read 1", "read 2"]);
});
