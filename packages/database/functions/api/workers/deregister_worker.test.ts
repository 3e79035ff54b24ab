import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

let stageId: number;

beforeEach(async () => {
  await db.reset();
  const { read = 0 } = await jobs.aPipeline("orders", ["read"]);
  stageId = read;
});

test("a worker that holds nothing leaves the list, and the others stay", async () => {
  const [leaving, staying] = [await jobs.aWorker(), await jobs.aWorker()];
  await db.value("deregister_worker", { p_worker_id: leaving, p_now: noon });
  expect(await db.call("active_workers", { p_now: noon })).toMatchObject([
    { worker_id: staying, alive: true },
  ]);
});

test("what a worker still holds when it leaves is swept at once, though its lease has not ended", async () => {
  const worker = await jobs.aWorker();
  const { id } = await jobs.aClaimedJob({ by: worker });
  await db.value("deregister_worker", { p_worker_id: worker, p_now: noon });
  expect(await db.call("active_workers", { p_now: noon })).toMatchObject([
    { worker_id: worker, alive: false },
  ]);
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 1) });
  expect(await jobs.read(id)).toMatchObject({ status: "pending", losses: 1 });
});

test("a worker that leaves twice, or was never there, is no error", async () => {
  const worker = await jobs.aWorker();
  await db.value("deregister_worker", { p_worker_id: worker });
  await db.value("deregister_worker", { p_worker_id: worker });
});

describe("a worker that leaves while a claim of its own is under way", () => {
  let worker: string;
  let id: string;

  beforeEach(async () => {
    worker = await jobs.aWorker();
    id = await jobs.aPendingJob();
  });

  const claim = `select from lockstep.settle_and_claim(
    $1, $2, '{}', '{}', null, array[$3::integer], '{1}', null, '{2}', null, p_now => $4)`;
  const claimed = () => [worker, randomUUID(), stageId, noon];

  async function expectSwept(): Promise<void> {
    expect(await jobs.read(id)).toMatchObject({ status: "processing", worker_id: worker });
    expect(await db.call("sweep_lost_workers", { p_now: noon })).toMatchObject([{ lost_jobs: 1 }]);
    expect(await jobs.read(id)).toMatchObject({ status: "pending", losses: 1 });
    expect(await db.query("select from lockstep.claimed_ranges")).toEqual([]);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  }

  test("leaves behind what is swept, when the claim commits between its looks", async () => {
    const [beating, leaving] = [await db.connect(), await db.connect()];
    await beating.query("begin");
    await beating.query("select lockstep.heartbeat($1, p_now => $2)", [worker, noon]);
    const left = leaving.query("select lockstep.deregister_worker($1, $2)", [worker, noon]);
    await untilBlocked(db); // it has seen that nothing is held, and waits for its row
    await db.query(claim, claimed());
    await beating.query("commit");
    await left;
    await expectSwept();
  });

  test("leaves behind what is swept, when the claim commits after it has left", async () => {
    const claiming = await db.connect();
    await claiming.query("begin");
    await claiming.query(claim, claimed());
    await db.value("deregister_worker", { p_worker_id: worker, p_now: noon });
    await claiming.query("commit");
    await expectSwept();
  });
});
