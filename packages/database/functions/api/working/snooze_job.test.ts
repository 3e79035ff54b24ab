import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

test("a snoozed job comes back later, its attempt unspent", async () => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  const snooze = { p_id: id, p_claim_token: claim_token, p_for: "90 seconds", p_now: noon };
  expect(await db.value("snooze_job", snooze)).toBe("applied");
  expect(await jobs.read(id)).toMatchObject({
    status: "scheduled",
    attempt: 0,
    scheduled_for: secondsAfter(noon, 90),
    attempts: [{ attempt: 1, outcome: "snoozed" }],
  });
  expect(await jobs.claimAs(worker, { at: secondsAfter(noon, 89) })).toEqual([]);
  expect(await jobs.claimAs(worker, { at: secondsAfter(noon, 90) })).toMatchObject([{ id, attempt: 1 }]);
});

test("a job can be snoozed more often than it may be tried, and grows no further for it", async () => {
  const { id } = await jobs.aClaimedJob({ by: worker });
  for (let round = 0; round < 130; round++) {
    const [row] = await db.query("select claim_token from lockstep.jobs");
    await db.value("snooze_job", { p_id: id, p_claim_token: row?.claim_token, p_for: "0", p_now: noon });
    await jobs.claimAs(worker);
  }
  const job = await jobs.read(id);
  expect(job).toMatchObject({ status: "processing", attempt: 1 });
  expect(job.attempts).toHaveLength(100);
});

test("a snooze sent again is already_applied, and lease_lost after a sweep", async () => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  const snooze = { p_id: id, p_claim_token: claim_token, p_for: "0", p_now: noon };
  await db.value("snooze_job", snooze);
  expect(await db.value("snooze_job", snooze)).toBe("already_applied");
  const [again] = await jobs.claimAs(worker);
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 601) });
  expect(await db.value("snooze_job", { ...snooze, p_claim_token: again?.claim_token })).toBe("lease_lost");
});
