import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

const heartbeat = async (workerId: string, at: Date, more: object = {}) => {
  const [answer] = await db.call("heartbeat", { p_worker_id: workerId, p_now: at, ...more });
  return answer;
};

describe("a heartbeat", () => {
  test("extends the lease on the database's clock, by the lease the worker registered with", async () => {
    const worker = await jobs.aWorker({ leaseSeconds: 12 });
    expect(await heartbeat(worker, secondsAfter(noon, 10))).toEqual({
      alive: true,
      lease_until: secondsAfter(noon, 22),
      cancel: [],
      held: null,
      is_upkeep_due: true,
    });
  });

  test("tells that nobody has done the fleet's upkeep for longer than it should take", async () => {
    const worker = await jobs.aWorker();
    await db.call("do_upkeep", { p_worker_id: worker, p_now: noon });
    expect(await heartbeat(worker, secondsAfter(noon, 4.9))).toMatchObject({ is_upkeep_due: false });
    expect(await heartbeat(worker, secondsAfter(noon, 5))).toMatchObject({ is_upkeep_due: true });
    const patient = { p_upkeep_after: "10 seconds" };
    expect(await heartbeat(worker, secondsAfter(noon, 9), patient)).toMatchObject({ is_upkeep_due: false });
  });

  test("renews a lease that has passed its time while nobody swept it", async () => {
    const worker = await jobs.aWorker();
    expect(await heartbeat(worker, secondsAfter(noon, 100))).toMatchObject({ alive: true });
  });

  test("keeps the worker's last report until a new one comes", async () => {
    const worker = await jobs.aWorker();
    await heartbeat(worker, noon, { p_report: { busy: 3 } });
    await heartbeat(worker, noon);
    expect(await db.call("active_workers", { p_now: noon })).toMatchObject([{ report: { busy: 3 } }]);
  });

  test("never revives a worker that was swept", async () => {
    const worker = await jobs.aWorker();
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
    expect(await heartbeat(worker, secondsAfter(noon, 32))).toMatchObject({
      alive: false,
      lease_until: null,
    });
    expect(await db.call("active_workers", { p_now: secondsAfter(noon, 32) })).toMatchObject([
      { alive: false },
    ]);
  });

  test("of a worker nobody knows says that it is not alive", async () => {
    expect(await heartbeat(randomUUID(), noon)).toMatchObject({ alive: false });
  });

  test("that waits for a sweep to commit learns that its worker is lost", async () => {
    const worker = await jobs.aWorker();
    const [sweeper, beating] = [await db.connect(), await db.connect()];
    await sweeper.query("begin");
    await sweeper.query("select lockstep.sweep_lost_workers(p_now => $1)", [secondsAfter(noon, 31)]);
    const answer = beating.query("select * from lockstep.heartbeat($1, p_now => $2)", [
      worker,
      secondsAfter(noon, 31),
    ]);
    await untilBlocked(db);
    await sweeper.query("commit");
    expect((await answer).rows).toMatchObject([{ alive: false }]);
  });

  test("names the jobs of its worker whose cancel was requested, and no others", async () => {
    const [worker, other] = [await jobs.aWorker(), await jobs.aWorker()];
    const mine = await jobs.aClaimedJob({ by: worker });
    await jobs.aClaimedJob({ by: worker });
    const others = await jobs.aClaimedJob({ by: other });
    for (const { id } of [mine, others]) await db.value("cancel_job", { p_id: id, p_now: noon });
    expect(await heartbeat(worker, noon)).toMatchObject({ cancel: [mine.id] });
  });
});

describe("a worker in doubt", () => {
  test("is told what it holds by claims older than any reply under way", async () => {
    const worker = await jobs.aWorker();
    const old = await jobs.aClaimedJob({ by: worker, at: noon });
    await jobs.aClaimedJob({ by: worker, at: secondsAfter(noon, 9) });
    await jobs.aClaimedJob({ by: await jobs.aWorker(), at: noon });
    expect(await heartbeat(worker, secondsAfter(noon, 21), { p_in_doubt: true })).toMatchObject({
      held: [{ id: old.id, token: old.claim_token }],
    });
  });

  test("that holds nothing is told nothing", async () => {
    expect(await heartbeat(await jobs.aWorker(), noon, { p_in_doubt: true })).toMatchObject({ held: null });
  });
});
