import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

const renew = (workerIds: string[], at: Date, more: object = {}) =>
  db.call("renew_leases", { p_worker_ids: workerIds, p_now: at, ...more });

test("each worker gets its own lease and answer, in the order given", async () => {
  const [short, long] = [await jobs.aWorker({ leaseSeconds: 12 }), await jobs.aWorker({ leaseSeconds: 60 })];
  const mine = await jobs.aClaimedJob({ by: short });
  await jobs.aClaimedJob({ by: long });
  await db.value("cancel_job", { p_id: mine.id, p_now: noon });
  const answers = await renew([long, short], secondsAfter(noon, 10));
  expect(answers).toMatchObject([
    { worker_id: long, alive: true, lease_until: secondsAfter(noon, 70), cancel: [] },
    { worker_id: short, alive: true, lease_until: secondsAfter(noon, 22), cancel: [mine.id] },
  ]);
});

test("a lost worker and an unknown one are told so, and the others live on", async () => {
  const [lost, alive] = [await jobs.aWorker({ leaseSeconds: 5 }), await jobs.aWorker({ leaseSeconds: 60 })];
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 6) });
  const answers = await renew([lost, randomUUID(), alive], secondsAfter(noon, 7));
  expect(answers.map(({ alive, lease_until }) => [alive, lease_until])).toEqual([
    [false, null],
    [false, null],
    [true, secondsAfter(noon, 67)],
  ]);
});

test("reports and doubts go by the order of the workers, and may be missing", async () => {
  const [first, second] = [await jobs.aWorker({ name: "first" }), await jobs.aWorker({ name: "second" })];
  const held = await jobs.aClaimedJob({ by: second, at: noon });
  await jobs.aClaimedJob({ by: first, at: noon });
  const answers = await renew([first, second], secondsAfter(noon, 21), {
    p_reports: [null, { busy: 1 }],
    p_in_doubt: [false, true],
  });
  expect(answers.map((answer) => answer.held)).toEqual([null, [{ id: held.id, token: held.claim_token }]]);
  const reports = async () =>
    new Map(
      (await db.call("active_workers", { p_now: secondsAfter(noon, 21) })).map((worker) => [
        worker.name,
        worker.report,
      ]),
    );
  const known = new Map<unknown, unknown>([
    ["first", null],
    ["second", { busy: 1 }],
  ]);
  expect(await reports()).toEqual(known);
  await renew([first, second], secondsAfter(noon, 22));
  expect(await reports()).toEqual(known);
});

test("what any of them claimed a while ago is listed as held, and nobody else's", async () => {
  const workers = [await jobs.aWorker(), await jobs.aWorker(), await jobs.aWorker()];
  const [stage] = await db.query<{ id: number }>("select id from lockstep.stages");
  for (const worker of workers) {
    await jobs.aPendingJob();
    await db.call("settle_and_claim", {
      p_worker_id: worker,
      p_claim_token: randomUUID(),
      p_ids: [],
      p_tokens: [],
      p_ends: null,
      p_stage_ids: [stage?.id],
      p_rooms: [1],
      p_places: Array(20).fill(0),
      p_scans: [2],
      p_due_after: [null],
      p_now: noon,
    });
  }
  await renew(workers.slice(0, 2), secondsAfter(noon, 6));
  const listed = await db.query<{ held_by: string }>(
    "select held_by from lockstep.jobs where held_by is not null",
  );
  expect(new Set(listed.map((job) => job.held_by))).toEqual(new Set(workers.slice(0, 2)));
});
