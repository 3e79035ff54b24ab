import { JobFactory, noon, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let stageIds: Record<string, number>;

beforeEach(async () => {
  await db.reset();
  stageIds = await jobs.aPipeline("orders", ["read", "write"]);
});

async function aSleeper(...stages: string[]): Promise<string> {
  const worker = await jobs.aWorker({
    leaseSeconds: 600,
    serves: stages.map((stage) => `orders/${stage}`),
  });
  await db.value("wait_for_jobs", {
    p_worker_id: worker,
    p_stage_ids: stages.map((stage) => stageIds[stage]),
  });
  return worker;
}

const waiting = async (worker: string) => {
  const [row] = await db.query<{ ids: number[] }>(
    "select waiting_stage_ids as ids from lockstep.workers where id = $1",
    [worker],
  );
  return row?.ids;
};

/** Which of these workers hear of it that a full one passes its wake-up on. */
async function heardBy(workers: string[], full: string, ...stages: string[]): Promise<string[]> {
  const listener = await db.connect();
  const heard = new Set<string>();
  const marked = new Promise<void>((resolve) => {
    listener.on("notification", ({ channel }: pg.Notification) => {
      if (channel === "the_end") resolve();
      else heard.add(channel);
    });
  });
  const channelOf = (worker: string) => `${db.schema}_${worker.replaceAll("-", "")}`;
  for (const channel of [...workers.map(channelOf), "the_end"]) await listener.query(`listen ${channel}`);
  await db.value("pass_on_wake_up", {
    p_worker_id: full,
    p_stage_ids: stages.map((stage) => stageIds[stage]),
    p_now: noon,
  });
  await db.query("notify the_end");
  await marked;
  return workers.filter((worker) => heard.has(channelOf(worker)));
}

test("a full worker sleeps for its stage no more, and another is woken for what waits there", async () => {
  const full = await aSleeper("read", "write");
  const other = await aSleeper("read");
  await jobs.aPendingJob();
  expect(await heardBy([full, other], full, "read")).toEqual([other]);
  expect(await waiting(full)).toEqual([stageIds.write]);
});

test("nobody is woken when nothing waits there", async () => {
  const full = await aSleeper("read");
  const other = await aSleeper("read");
  expect(await heardBy([other], full, "read")).toEqual([]);
  expect(await waiting(full)).toEqual([]);
});

test("of many sleepers as many are woken as there is work for, up to eight", async () => {
  const full = await aSleeper("read");
  const others: string[] = [];
  for (let count = 0; count < 12; count++) others.push(await aSleeper("read"));
  await jobs.aPendingJob();
  expect(await heardBy(others, full, "read")).toHaveLength(2);
  for (let count = 0; count < 20; count++) await jobs.aPendingJob();
  expect(await heardBy(others, full, "read")).toHaveLength(8);
});

test("a worker that did not sleep for the stage passes on all the same", async () => {
  const awake = await jobs.aWorker({ leaseSeconds: 600, serves: ["orders/read"] });
  const other = await aSleeper("read");
  await jobs.aPendingJob();
  expect(await heardBy([other], awake, "read")).toEqual([other]);
});
