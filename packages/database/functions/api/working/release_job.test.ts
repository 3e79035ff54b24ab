import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  worker = await jobs.aWorker();
});

test("a released job is pending at once, its attempt refunded and its losses kept", async () => {
  await jobs.aClaimedJob({ by: worker });
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
  const other = await jobs.aWorker({ at: secondsAfter(noon, 31) });
  const [claimed] = await jobs.claimAs(other, { at: secondsAfter(noon, 31) });
  const release = { p_id: claimed?.id, p_claim_token: claimed?.claim_token, p_now: secondsAfter(noon, 32) };
  expect(await db.value("release_job", release)).toBe("applied");
  expect(await jobs.read(String(claimed?.id))).toMatchObject({
    status: "pending",
    attempt: 0,
    losses: 1,
    worker_id: null,
    attempts: [{ outcome: "lost" }, { attempt: 1, outcome: "released" }],
  });
  expect(await jobs.claimAs(other, { at: secondsAfter(noon, 32) })).toMatchObject([{ attempt: 1 }]);
});

test("a holder that released its job cannot complete or fail the next holder's", async () => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  const old = { p_id: id, p_claim_token: claim_token, p_now: noon };
  await db.value("release_job", old);
  const [next] = await jobs.claimAs(worker);
  await db.value("complete_job", old);
  await db.value("fail_job", { ...old, p_error: {} });
  await db.value("release_job", old);
  expect(await db.query("select status, claim_token from lockstep.jobs")).toEqual([
    { status: "processing", claim_token: next?.claim_token },
  ]);
});

test("a release sent again is already_applied, and lease_lost after a sweep", async () => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  const release = { p_id: id, p_claim_token: claim_token, p_now: noon };
  await db.value("release_job", release);
  expect(await db.value("release_job", release)).toBe("already_applied");
  const [again] = await jobs.claimAs(worker);
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
  expect(await db.value("release_job", { ...release, p_claim_token: again?.claim_token })).toBe("lease_lost");
});
