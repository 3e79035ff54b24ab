import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  worker = await jobs.aWorker();
});

test("the holder of a job says how far it has come", async () => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  const report = {
    p_id: id,
    p_claim_token: claim_token,
    p_percent: 41.7,
    p_note: "page 5",
    p_data: { page: 5 },
  };
  expect(await db.value("report_progress", report)).toBe("applied");
  expect(await jobs.read(id)).toMatchObject({
    progress: 42,
    progress_note: "page 5",
    progress_data: { page: 5 },
  });
});

test.each([
  [-3, 0],
  [100.4, 100],
  [250, 100],
])("%d percent is told as %i", async (percent, expected) => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  await db.value("report_progress", { p_id: id, p_claim_token: claim_token, p_percent: percent });
  expect(await jobs.read(id)).toMatchObject({ progress: expected });
});

test("a note is cut to 500 characters", async () => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  await db.value("report_progress", {
    p_id: id,
    p_claim_token: claim_token,
    p_percent: 1,
    p_note: "é".repeat(600),
  });
  expect(await jobs.read(id)).toMatchObject({ progress_note: "é".repeat(500) });
});

test("whoever does not hold the job is told lease_lost, and nothing changes", async () => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  const report = { p_id: id, p_percent: 50 };
  expect(await db.value("report_progress", { ...report, p_claim_token: randomUUID() })).toBe("lease_lost");
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
  expect(await db.value("report_progress", { ...report, p_claim_token: claim_token })).toBe("lease_lost");
  await jobs.claimAs(await jobs.aWorker({ at: secondsAfter(noon, 31) }), { at: secondsAfter(noon, 31) });
  expect(await db.value("report_progress", { ...report, p_claim_token: claim_token })).toBe("lease_lost");
  expect(await jobs.read(id)).toMatchObject({ progress: null });
});

test("many reports at once name the jobs that are no longer held", async () => {
  const mine = await jobs.aClaimedJob({ by: worker });
  const lost = await jobs.aClaimedJob({ by: worker });
  const rows = await db.call("report_progress_of_jobs", {
    p_reports: [
      { id: lost.id, token: randomUUID(), percent: 10 },
      { id: mine.id, token: mine.claim_token, percent: 20, note: "on", data: [1] },
    ],
  });
  expect(rows).toEqual([{ report_progress_of_jobs: lost.id }]);
  expect(await jobs.read(mine.id)).toMatchObject({ progress: 20, progress_note: "on", progress_data: [1] });
});

test("many reports lock their jobs in the order of the ids, as settling does", async () => {
  const [first, second] = [
    await jobs.aClaimedJob({ by: worker }),
    await jobs.aClaimedJob({ by: worker }),
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
  const [other, reporter] = [await db.connect(), await db.connect()];
  await other.query("begin");
  await other.query("select from lockstep.jobs where id = $1 for update", [first?.id]);
  const reports = [second, first].map((job) => ({ id: job?.id, token: job?.claim_token, percent: 1 }));
  const waiting = reporter.query("select lockstep.report_progress_of_jobs($1)", [JSON.stringify(reports)]);
  await untilBlocked(db);
  // Whoever waits for the first does not hold the second meanwhile.
  await db.query("select from lockstep.jobs where id = $1 for update nowait", [second?.id]);
  await other.query("rollback");
  expect((await waiting).rows).toEqual([]);
});
