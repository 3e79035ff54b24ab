import { randomUUID } from "node:crypto";
import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;
let claimed: ClaimedJob;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker();
  claimed = await jobs.aClaimedJob({ by: worker });
});

const stateOf = ({ id, claim_token }: Pick<ClaimedJob, "id" | "claim_token">) =>
  db.value<string>("claim_state", { p_id: id, p_claim_token: claim_token });
const call = (name: string, { id, claim_token }: ClaimedJob, more = {}) =>
  db.value(name, { p_id: id, p_claim_token: claim_token, p_now: noon, ...more });

test("a claim is held, locked while a transaction ends its stage, and held again when that rolls back", async () => {
  expect(await stateOf(claimed)).toBe("held");
  const client = await db.connect();
  for (const name of ["complete_held_job", "fail_held_job", "assert_lease"]) {
    const error = name === "fail_held_job" ? ", p_error => '{}'" : "";
    await client.query("begin");
    await client.query(`select lockstep.${name}(p_id => $1, p_claim_token => $2, p_now => $3${error})`, [
      claimed.id,
      claimed.claim_token,
      noon,
    ]);
    expect(await stateOf(claimed)).toBe("locked");
    await client.query("rollback");
    expect(await stateOf(claimed)).toBe("held");
  }
});

test("a done stage is advanced, also when its job has finished since, and the last one completed", async () => {
  await call("complete_job", claimed);
  expect(await stateOf(claimed)).toBe("advanced");
  const [write] = await jobs.claimAs(worker, { stage: "orders/write" });
  if (!write) throw new Error("The job has not advanced.");
  await call("complete_job", write);
  expect(await stateOf(write)).toBe("completed");
  expect(await stateOf(claimed)).toBe("advanced");
});

test("a stage that was done when the cancel took its job is cancelled, a forced end is lost", async () => {
  await db.value("cancel_job", { p_id: claimed.id, p_now: noon });
  await call("complete_job", claimed);
  expect(await stateOf(claimed)).toBe("cancelled");

  const other = await jobs.aClaimedJob({ by: worker });
  await db.value("cancel_job", { p_id: other.id, p_now: noon });
  await db.call("sweep_lost_workers", { p_cancel_grace: "1 second", p_now: secondsAfter(noon, 5) });
  expect(await stateOf(other)).toBe("lost");
});

test("a job that its holder failed for good is failed, one whose workers died is lost", async () => {
  await call("fail_job", claimed, { p_error: {}, p_retry: false });
  expect(await stateOf(claimed)).toBe("failed");

  const other = await jobs.aClaimedJob({ by: worker });
  await db.query("update lockstep.jobs set losses = 2, suspect = true where id = $1", [other.id]);
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
  expect(await jobs.read(other.id)).toMatchObject({ status: "failed" });
  expect(await stateOf(other)).toBe("lost");
});

test("whatever else ended it, it is lost", async () => {
  await call("fail_job", claimed, { p_error: {}, p_retry_after: "0 seconds" });
  expect(await stateOf(claimed)).toBe("lost");
  expect(await stateOf({ id: claimed.id, claim_token: randomUUID() })).toBe("lost");
  expect(await stateOf({ id: randomUUID(), claim_token: randomUUID() })).toBe("lost");
});
