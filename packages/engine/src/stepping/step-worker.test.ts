import { testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline, HandlerStuckError, type StepWorker } from "lockstep";
import { beforeEach, expect, onTestFinished, test } from "vitest";

const db = testDatabase();
beforeEach(() => db.reset());

const orders = definePipeline<{ fails?: boolean; hangs?: boolean }>("orders")
  .stage("read", { maxAttempts: 2 }, async ({ payload }) => {
    if (payload.fails) throw new Error("unreadable");
    if (payload.hangs) await new Promise(() => {});
    return "read";
  })
  .stage("send", ({ output }) => `${output} and sent`);

async function aWorker() {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [orders], logger: null });
  const worker = await engine.stepWorker({ handlerLimitMs: 200 });
  onTestFinished(async () => {
    await worker.stop();
    await engine.stop();
  });
  return { engine, worker };
}

async function stepsOf(worker: StepWorker): Promise<string[]> {
  const steps: string[] = [];
  for (let step = await worker.step(); step !== null; step = await worker.step()) {
    steps.push(`${step.stage} ${step.attempt} ${step.outcome}`);
  }
  return steps;
}

test("each step is one attempt of one job, and none is left when it says so", async () => {
  const { engine, worker } = await aWorker();
  const { id } = await engine.add(orders, {});
  expect(await stepsOf(worker)).toEqual(["read 1 done", "send 1 done"]);
  expect(worker.nextDueMs).toBeNull();
  expect(await engine.get(id)).toMatchObject({ status: "completed", result: "read and sent" });
});

test("after a failed attempt it knows when the next one is due", async () => {
  const { engine, worker } = await aWorker();
  const { id } = await engine.add(orders, { fails: true });
  expect(await stepsOf(worker)).toEqual(["read 1 retry"]);
  // The backoff of two minutes, less up to half of it.
  expect(worker.nextDueMs).toBeGreaterThan(30_000);
  expect(worker.nextDueMs).toBeLessThanOrEqual(120_000);
  await db.timePasses(120_000);
  expect(await stepsOf(worker)).toEqual(["read 2 retry"]);
  expect(await engine.get(id)).toMatchObject({ status: "failed" });
});

test("a stage that ends in the handler's transaction is done when that commits, and fails when it does not", async () => {
  const tx = await db.connect();
  const paying = definePipeline<{ end: string }>("paying")
    .stage("pay", async ({ payload, completeIn }) => {
      await tx.query("begin");
      await completeIn(tx, "paid");
      await tx.query(payload.end);
    })
    .stage("send", ({ output }) => output);
  const engine = createEngine({ databaseUrl: db.url, pipelines: [paying], logger: null });
  const worker = await engine.stepWorker({ handlerLimitMs: 5_000 });
  onTestFinished(async () => {
    await worker.stop();
    await engine.stop();
  });
  await engine.add(paying, { end: "commit" });
  expect(await stepsOf(worker)).toEqual(["pay 1 done", "send 1 done"]);
  await engine.add(paying, { end: "rollback" });
  expect(await stepsOf(worker)).toEqual(["pay 1 retry"]);
});

test("it is seen as a worker while it lives, and gone when it is stopped", async () => {
  const { engine, worker } = await aWorker();
  await worker.step();
  expect(await engine.workers()).toMatchObject([{ isAlive: true, stages: ["orders/read", "orders/send"] }]);
  await worker.stop();
  expect(await engine.workers()).toEqual([]);
});

test("it enters anew when its lease was taken from it", async () => {
  const { engine, worker } = await aWorker();
  await worker.step();
  await db.query("update lockstep.workers set lost_at = now()");
  await engine.add(orders, {});
  expect(await stepsOf(worker)).toEqual(["read 1 done", "send 1 done"]);
});

test("a handler that does not end is named", async () => {
  const { engine, worker } = await aWorker();
  await engine.add(orders, { hangs: true });
  await expect(worker.step()).rejects.toThrow(HandlerStuckError);
});

test("what is due for a batch handler runs in one call, and each of its jobs is a step", async () => {
  const calls: number[][] = [];
  const sums = definePipeline<number>("sums")
    .stage("add", { batch: { size: 3, waitMs: 60_000 } }, (jobs) => {
      calls.push(jobs.map(({ payload }) => payload));
      return jobs.map(async ({ payload }) => {
        if (payload === 2) throw new Error("not 2");
        return payload + 1;
      });
    })
    .stage("tell", ({ output }) => output);
  const engine = createEngine({ databaseUrl: db.url, pipelines: [sums], logger: null });
  const worker = await engine.stepWorker({ handlerLimitMs: 5_000 });
  onTestFinished(async () => {
    await worker.stop();
    await engine.stop();
  });
  const added = await engine.addMany(
    sums,
    [1, 2, 3, 4].map((payload) => ({ payload })),
  );
  expect((await stepsOf(worker)).sort()).toEqual([
    ...["add 1 done", "add 1 done", "add 1 done", "add 1 retry"],
    ...["tell 1 done", "tell 1 done", "tell 1 done"],
  ]);
  expect(calls).toEqual([[1, 2, 3], [4]]);
  const jobs = await Promise.all(added.map(({ id }) => engine.get(id)));
  expect(jobs.map((job) => job?.result ?? job?.status)).toEqual([2, "retrying", 4, 5]);
});

test("a batch handler that does not end is named", async () => {
  const stuck = definePipeline<number>("stuck").stage(
    "hang",
    { batch: { size: 3 } },
    () => new Promise<void>(() => {}),
  );
  const engine = createEngine({ databaseUrl: db.url, pipelines: [stuck], logger: null });
  const worker = await engine.stepWorker({ handlerLimitMs: 100 });
  onTestFinished(async () => {
    await worker.stop();
    await engine.stop();
  });
  await engine.addMany(stuck, [{ payload: 1 }, { payload: 2 }]);
  await expect(worker.step()).rejects.toThrow("The handler of stuck/hang did not end within 100 ms");
});
