import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

test("a worker is entered with its lease and the stages it serves", async () => {
  const id = randomUUID();
  const leaseUntil = await db.value("register_worker", {
    p_worker_id: id,
    p_name: "mill",
    p_lease: "30 seconds",
    p_stages: ["orders/read", "orders/write"],
    p_host: "host",
    p_pid: 7,
    p_version: "1.0.0",
    p_now: noon,
  });
  expect(leaseUntil).toEqual(secondsAfter(noon, 30));
  expect(await db.call("active_workers", { p_now: noon })).toMatchObject([
    {
      worker_id: id,
      name: "mill",
      host: "host",
      pid: 7,
      version: "1.0.0",
      alive: true,
      started_at: noon,
      lease_until: secondsAfter(noon, 30),
      stages: ["orders/read", "orders/write"],
    },
  ]);
});

test("a worker whose first reply was lost registers again and is the same worker", async () => {
  const id = await jobs.aWorker({ at: noon });
  await jobs.aWorker({ id, at: secondsAfter(noon, 5) });
  expect(await db.call("active_workers", { p_now: noon })).toMatchObject([
    { worker_id: id, started_at: noon, lease_until: secondsAfter(noon, 35) },
  ]);
});

test("two workers may have the same name", async () => {
  await jobs.aWorker({ name: "mill" });
  await jobs.aWorker({ name: "mill" });
  expect(await db.call("active_workers", { p_now: noon })).toHaveLength(2);
});

test("a lost worker cannot register again under its id", async () => {
  const id = await jobs.aWorker({ at: noon });
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
  await expect(jobs.aWorker({ id, at: secondsAfter(noon, 32) })).rejects.toMatchObject({ code: "LS004" });
});

test.each([["orders/pack"], ["letters/send"], ["orders"], [""]])(
  "a worker that serves the unknown stage %j is refused and not entered",
  async (stage) => {
    await expect(jobs.aWorker({ serves: ["orders/read", stage] })).rejects.toMatchObject({ code: "LS003" });
    expect(await db.call("active_workers")).toEqual([]);
  },
);

test("a lease of no length is refused", async () => {
  await expect(jobs.aWorker({ leaseSeconds: 0 })).rejects.toThrow(/lease_is_positive/);
});

test("a worker that stops is taken off the list", async () => {
  const id = await jobs.aWorker();
  await db.value("deregister_worker", { p_worker_id: id, p_now: noon });
  expect(await db.call("active_workers")).toEqual([]);
});
