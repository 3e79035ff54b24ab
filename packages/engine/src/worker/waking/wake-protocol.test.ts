import { describe, expect, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import { schedulersOnDatabase } from "../../test-support/scheduler-setup.ts";

// Generous: a busy machine is slow.
const soon = { timeout: 25_000 };
const { db, aWorker, jobs } = schedulersOnDatabase();

describe("looking when there is nothing", () => {
  test("is once more, then the worker says that it sleeps and looks again, then it polls", async () => {
    const worker = await aWorker();
    await worker.start();
    expect([worker.calls.length, worker.announcements]).toEqual([1, []]);
    await worker.advance(2);
    expect(worker.announcements).toEqual([[worker.stages[0]?.id]]);
    expect(worker.calls.length).toBe(3);
    expect(await worker.announced()).toEqual([worker.stages[0]?.id]);
    for (const stepMs of [10, 50, 250, 2_000, 2_000]) await worker.advance(stepMs);
    expect(worker.calls.length).toBe(8);
    await worker.advance(1_999);
    expect(worker.calls.length).toBe(8);
  });

  test("finds at once what was added just before the worker said that it sleeps", async () => {
    const worker = await aWorker();
    await worker.start();
    // With the last look before the announcement, after PostgreSQL has answered it.
    worker.faults.push(async (answer) => {
      const exchange = await answer();
      await jobs(1);
      return exchange;
    });
    await worker.advance(2);
    expect(worker.running()).toHaveLength(1);
  });

  test("ends with a wake-up", async () => {
    const worker = await aWorker();
    await worker.start();
    await worker.fallAsleep();
    const ids = await jobs(1);
    await worker.quiet();
    expect(worker.running()).toEqual([]);
    worker.scheduler.lookNow();
    await worker.quiet();
    expect(worker.running()).toEqual(ids);
  });

  test("does not miss a wake-up that comes during a call", async () => {
    const worker = await aWorker();
    worker.faults.push(async (answer) => {
      const exchange = await answer();
      await jobs(1);
      worker.scheduler.lookNow();
      return exchange;
    });
    await worker.start();
    expect(worker.running()).toHaveLength(1);
  });

  test("does not miss a wake-up whose look failed", async () => {
    const worker = await aWorker({ pollIntervalMs: 3_600_000 });
    await worker.start();
    await worker.fallAsleep();
    const ids = await jobs(1);
    // Not one: that is tried again at once.
    for (let time = 0; time < 2; time += 1) {
      worker.faults.push(async () => {
        throw new DatabaseUnavailableError(new Error("gone"));
      });
    }
    worker.scheduler.lookNow();
    await worker.quiet();
    expect(worker.running()).toEqual([]);
    await worker.advance(200);
    expect(worker.running()).toEqual(ids);
  });

  test("does not miss a wake-up that comes while nothing may be claimed", async () => {
    let isTrusted = true;
    const worker = await aWorker({ isTrusted: () => isTrusted, pollIntervalMs: 3_600_000 });
    const [first] = await jobs(1);
    await worker.start();
    await worker.fallAsleep();
    isTrusted = false;
    const [second] = await jobs(1);
    worker.scheduler.lookNow();
    await worker.end(String(first));
    isTrusted = true;
    worker.scheduler.wake();
    await worker.quiet();
    expect(worker.running()).toContain(second);
  });

  // In real time: when a job is due is judged by PostgreSQL's clock.
  test("comes in time for the next job that is due, without any wake-up", async () => {
    const pipeline = definePipeline("orders").stage("read", () => 1);
    const worker = await aWorker({ pipeline, clock: systemClock, pollIntervalMs: 3_600_000 });
    worker.scheduler.start();
    await expect.poll(() => worker.announcements.length, soon).toBe(1);
    const dueAtMs = Date.now() + 600;
    await jobs(1, { scheduledFor: new Date(dueAtMs) });
    worker.scheduler.lookNow();
    await worker.told.next("job.completed");
    expect(Date.now() - dueAtMs).toBeGreaterThanOrEqual(0);
  });

  test("is over for a worker that has been busy for a second: it asks for no wake-ups then", async () => {
    const pipeline = definePipeline("orders").stage("read", { processors: 1 }, () => 1);
    const worker = await aWorker({ pipeline, claimBatchSize: 1 });
    await worker.start();
    await worker.fallAsleep();
    await jobs(20);
    // Each call takes a tenth of a second and finds all it has asked for.
    for (let call = 0; call < 20; call += 1) {
      worker.faults.push(async (answer) => {
        const exchange = await answer();
        await worker.clock.advance(100);
        return exchange;
      });
    }
    worker.scheduler.lookNow();
    await expect.poll(() => worker.announcements.at(-1), soon).toEqual([]);
    expect(worker.told.all("job.completed").length).toBeGreaterThanOrEqual(9);
    expect(worker.passedOn).toEqual([]);
    await worker.quiet();
  });

  test("is left to others, who are woken, when a worker has been full for a quarter of a second", async () => {
    const worker = await aWorker({ options: { processors: 1 } });
    await worker.start();
    await worker.fallAsleep();
    await jobs(3);
    worker.scheduler.wakeUp();
    await worker.quiet();
    await worker.advance(249);
    expect(worker.passedOn).toEqual([]);
    await worker.advance(1);
    expect(worker.passedOn).toEqual([[worker.stages[0]?.id]]);
    expect(await worker.announced()).toEqual([]);
    await worker.advance(10_000);
    expect(worker.passedOn).toHaveLength(1);
  });

  test("goes on where the worker that was woken still has room", async () => {
    const worker = await aWorker({ options: { processors: 2 } });
    await worker.start();
    await worker.fallAsleep();
    await jobs(1);
    worker.scheduler.wakeUp();
    await worker.quiet();
    await worker.advance(1_000);
    expect(worker.passedOn).toEqual([]);
    expect(await worker.announced()).toHaveLength(1);
  });

  test("is announced again when a full worker has room again", async () => {
    const worker = await aWorker({ options: { processors: 1 } });
    await worker.start();
    await worker.fallAsleep();
    const [id] = await jobs(1);
    worker.scheduler.wakeUp();
    await worker.quiet();
    await worker.advance(250);
    expect(await worker.announced()).toEqual([]);
    await worker.end(String(id));
    await worker.fallAsleep();
    expect(await worker.announced()).toHaveLength(1);
  });

  test("is shared by all that sleep for the same jobs", async () => {
    const worker = await aWorker();
    worker.waking.sleepers = 5;
    await worker.start();
    await worker.fallAsleep();
    const before = worker.calls.length;
    await worker.advance(9_999);
    expect(worker.calls.length).toBe(before);
    await worker.advance(1);
    expect(worker.calls.length).toBe(before + 1);
  });

  test("comes for jobs that fall due to a few of many sleepers", async () => {
    const looksAt = async (random: number) => {
      await db.reset();
      const worker = await aWorker({ random: () => random });
      worker.waking.sleepers = 100;
      await worker.start();
      await jobs(1, { scheduledFor: new Date(Date.now() + 3_000) });
      await worker.fallAsleep();
      const before = worker.calls.length;
      await worker.advance(4_000);
      return worker.calls.length - before;
    };
    expect(await looksAt(0.9)).toBe(0);
    expect(await looksAt(0.07)).toBeGreaterThan(0);
  });

  test("costs an announced worker one call for a job it is woken for, and one for its end", async () => {
    const worker = await aWorker();
    await worker.start();
    await worker.fallAsleep();
    const before = worker.calls.length;
    const [id] = await jobs(1);
    worker.scheduler.lookNow();
    await worker.quiet();
    await worker.end(String(id));
    for (const stepMs of [2, 4, 8, 16, 10, 50, 250]) await worker.advance(stepMs);
    expect(worker.calls.length - before).toBe(2);
  });

  test("is over for a worker that is woken more than fifty times a second", async () => {
    const worker = await aWorker();
    await worker.start();
    await worker.fallAsleep();
    for (let count = 0; count <= 50; count += 1) worker.scheduler.lookNow();
    await worker.quiet();
    expect(worker.announcements.at(-1)).toEqual([]);
    for (const stepMs of [2, 4, 8, 16]) await worker.advance(stepMs);
    expect(worker.announcements.at(-1)).toEqual([worker.stages[0]?.id]);
  });

  test("is without a word where no wake-up could be heard, and close together after each job", async () => {
    const worker = await aWorker({ isHearing: () => false });
    await worker.start();
    for (const stepMs of [2, 4, 8, 16, 10, 50, 250]) await worker.advance(stepMs);
    expect([worker.calls.length, worker.announcements]).toEqual([8, []]);
  });

  test("announces itself anew under a new worker id", async () => {
    const worker = await aWorker();
    await worker.start();
    await worker.fallAsleep();
    worker.scheduler.workerChanged();
    await worker.quiet();
    expect(worker.announcements).toHaveLength(2);
  });
});
