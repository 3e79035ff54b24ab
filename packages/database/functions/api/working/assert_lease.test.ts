import { randomUUID } from "node:crypto";
import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

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

const assertLease = (id: string, token: string, at = noon) =>
  db.value("assert_lease", { p_id: id, p_claim_token: token, p_now: at });
const lost = { code: "LS006", message: expect.stringMatching(/^This claim no longer holds job/) };
const late = secondsAfter(noon, 31);

describe("it raises unless", () => {
  test("this claim holds the job under a living lease", async () => {
    await assertLease(claimed.id, claimed.claim_token);
    await assertLease(claimed.id, claimed.claim_token, secondsAfter(noon, 29));
    await expect(assertLease(claimed.id, randomUUID())).rejects.toMatchObject(lost);
    await expect(assertLease(randomUUID(), claimed.claim_token)).rejects.toMatchObject(lost);
  });

  test("the lease holds on the database's clock, swept or not", async () => {
    await expect(assertLease(claimed.id, claimed.claim_token, late)).rejects.toMatchObject(lost);
    await db.value("heartbeat", { p_worker_id: worker, p_now: late }).catch(() => {});
    await assertLease(claimed.id, claimed.claim_token, late);
  });

  test("nobody else has the job since: not the sweep, not another worker, not its own release", async () => {
    await db.call("sweep_lost_workers", { p_now: late });
    await expect(assertLease(claimed.id, claimed.claim_token)).rejects.toMatchObject(lost);

    const other = await jobs.aWorker({ at: late });
    const [again] = await jobs.claimAs(other, { at: late });
    await expect(assertLease(claimed.id, claimed.claim_token, late)).rejects.toMatchObject(lost);
    await assertLease(claimed.id, again?.claim_token ?? "", late);

    await db.value("release_job", { p_id: claimed.id, p_claim_token: again?.claim_token, p_now: late });
    await expect(assertLease(claimed.id, again?.claim_token ?? "", late)).rejects.toMatchObject(lost);
  });
});

describe("until the transaction that asked ends", () => {
  /** A transaction in which the claim was found to hold. */
  async function sureOfItsClaim(): Promise<pg.Client> {
    const client = await db.connect();
    onTestFinished(async () => void (await client.query("rollback")));
    await client.query("begin");
    await client.query("select lockstep.assert_lease($1, $2, $3)", [claimed.id, claimed.claim_token, noon]);
    return client;
  }

  test("no sweep takes the job, and the next one does", async () => {
    const client = await sureOfItsClaim();
    expect(await db.call("sweep_lost_workers", { p_now: late })).toMatchObject([
      { lost_workers: 1, lost_jobs: 0 },
    ]);
    expect(await jobs.read(claimed.id)).toMatchObject({ status: "processing", worker_id: worker });
    await client.query("commit");
    expect(await db.call("sweep_lost_workers", { p_now: late })).toMatchObject([{ lost_jobs: 1 }]);
    expect(await jobs.read(claimed.id)).toMatchObject({ status: "pending" });
  });

  test("no forced cancel ends it", async () => {
    await db.value("cancel_job", { p_id: claimed.id, p_now: noon });
    const client = await sureOfItsClaim();
    const grace = { p_cancel_grace: "1 second", p_now: secondsAfter(noon, 5) };
    expect(await db.call("sweep_lost_workers", grace)).toMatchObject([{ cancelled_jobs: 0 }]);
    await client.query("rollback");
    expect(await db.call("sweep_lost_workers", grace)).toMatchObject([{ cancelled_jobs: 1 }]);
  });

  test("another holder of its token waits to settle it", async () => {
    const client = await sureOfItsClaim();
    const other = await db.connect();
    await other.query("set lock_timeout = '50ms'");
    const release = () =>
      other.query("select lockstep.release_job($1, $2)", [claimed.id, claimed.claim_token]);
    await expect(release()).rejects.toMatchObject({ code: "55P03" });
    await client.query("commit");
    expect((await release()).rows).toEqual([{ release_job: "applied" }]);
  });

  test("progress is written, a heartbeat heard and the claim found to hold by others too", async () => {
    const client = await sureOfItsClaim();
    await db.query("set lock_timeout = '50ms'");
    const report = { p_id: claimed.id, p_claim_token: claimed.claim_token, p_percent: 40 };
    expect(await db.value("report_progress", report)).toBe("applied");
    expect(await db.call("heartbeat", { p_worker_id: worker, p_now: noon })).toMatchObject([{ alive: true }]);
    await assertLease(claimed.id, claimed.claim_token);
    await client.query("commit");
    await db.query("reset lock_timeout");
    expect(await jobs.read(claimed.id)).toMatchObject({ status: "processing", progress: 40 });
  });
});

test("asked while a sweep takes the job, it waits and then raises", async () => {
  const sweeper = await db.connect();
  await sweeper.query("begin");
  await sweeper.query("select lockstep.sweep_lost_workers(p_now => $1)", [late]);
  const client = await db.connect();
  const asked = client.query("select lockstep.assert_lease($1, $2, $3)", [
    claimed.id,
    claimed.claim_token,
    noon,
  ]);
  await sweeper.query("commit");
  await expect(asked).rejects.toMatchObject({ code: "LS006" });
});
