// In real time: whole engines, with their heartbeat threads and PostgreSQL's clock.
import { testDatabase } from "@lockstep/test-support";
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
