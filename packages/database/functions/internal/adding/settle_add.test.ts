import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPipeline("letters", ["send"]);
});

const add = (...list: object[]) =>
  db.call("add_jobs", { p_jobs: list.map((job) => ({ pipeline: "orders", ...job })), p_now: noon });

async function complete(claimed: { id: string; claim_token: string }): Promise<void> {
  await db.value("complete_job", { p_id: claimed.id, p_claim_token: claimed.claim_token, p_now: noon });
}

describe("a dedup key", () => {
  test("gives the id of the live twin", async () => {
    const id = await jobs.aPendingJob({ dedupKey: "k" });
    expect(await add({ dedupKey: "k", payload: "second" })).toEqual([
      { id, created: false, status: "pending" },
    ]);
    expect(await jobs.read(id)).toMatchObject({ payload: null });
  });

  test("finds its twin in whatever live status that is", async () => {
    const worker = await jobs.aWorker();
    const scheduled = await jobs.aPendingJob({ dedupKey: "scheduled", scheduledFor: secondsAfter(noon, 60) });
    const retrying = await jobs.aClaimedJob({ by: worker, dedupKey: "retrying" });
    await db.value("fail_job", {
      p_id: retrying.id,
      p_claim_token: retrying.claim_token,
      p_error: {},
      p_now: noon,
    });
    const processing = await jobs.aClaimedJob({ by: worker, dedupKey: "processing" });
    expect(
      await add({ dedupKey: "scheduled" }, { dedupKey: "processing" }, { dedupKey: "retrying" }),
    ).toEqual([
      { id: scheduled, created: false, status: "scheduled" },
      { id: processing.id, created: false, status: "processing" },
      { id: retrying.id, created: false, status: "retrying" },
    ]);
  });

  test("counts within one pipeline and one owner", async () => {
    const added = await add(
      { dedupKey: "k" },
      { dedupKey: "k", owner: "ada" },
      { dedupKey: "k", owner: "bob" },
      { dedupKey: "k", pipeline: "letters" },
      { dedupKey: "k", owner: "ada" },
    );
    expect(added.map(({ created }) => created)).toEqual([true, true, true, true, false]);
    expect(added[4]?.id).toBe(added[1]?.id);
  });

  test("is free again when its job has finished, whichever way", async () => {
    const worker = await jobs.aWorker();
    const first = await jobs.aClaimedJob({ by: worker, dedupKey: "k" });
    await complete(first);
    const second = await jobs.aFailedJob({ by: worker, dedupKey: "k" });
    const third = await jobs.aPendingJob({ dedupKey: "k" });
    await db.value("cancel_job", { p_id: third });
    const fourth = await jobs.aPendingJob({ dedupKey: "k" });
    expect(new Set([first.id, second.id, third, fourth]).size).toBe(4);
  });

  test("holds among the jobs of one call", async () => {
    const added = await add({ dedupKey: "k" }, {}, { dedupKey: "k" }, { dedupKey: "k" });
    expect(added.map(({ created }) => created)).toEqual([true, true, false, false]);
    expect(new Set(added.map(({ id }) => id)).size).toBe(2);
  });

  test("gives one job when 64 callers add it at once", async () => {
    const clients = await Promise.all(Array.from({ length: 64 }, () => db.connect()));
    const answers = await Promise.all(
      clients.map((client) => client.query("select * from lockstep.add_job('orders', p_dedup_key => 'k')")),
    );
    const rows = answers.flatMap((answer) => answer.rows);
    expect(rows.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1);
    expect(await db.query("select 1 from lockstep.jobs")).toHaveLength(1);
    expect(await db.call("verify")).toEqual([]);
  });

  test("waits for a twin that is not committed yet, and takes its place when that is rolled back", async () => {
    const [first, second] = [await db.connect(), await db.connect()];
    await first.query("begin");
    await first.query("select lockstep.add_job('orders', p_dedup_key => 'k')");
    const waiting = second.query("select * from lockstep.add_job('orders', p_dedup_key => 'k')");
    await untilBlocked(db);
    await first.query("rollback");
    expect((await waiting).rows).toMatchObject([{ created: true, status: "pending" }]);
  });

  test("is never in its own job's way when that fails, is released, lost or retried", async () => {
    const worker = await jobs.aWorker();
    const { id, claim_token } = await jobs.aClaimedJob({ by: worker, dedupKey: "k" });
    await db.value("release_job", { p_id: id, p_claim_token: claim_token, p_now: noon });
    const [again] = await jobs.claimAs(worker);
    const failed = { p_id: id, p_error: {}, p_retry_after: "0", p_now: noon };
    expect(await db.value("fail_job", { ...failed, p_claim_token: again?.claim_token })).toBe("applied");
    expect(await jobs.claimAs(worker)).toMatchObject([{ id }]);
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
    const other = await jobs.aWorker({ at: secondsAfter(noon, 31) });
    const [last] = await jobs.claimAs(other, { at: secondsAfter(noon, 31) });
    await db.value("fail_job", { ...failed, p_claim_token: last?.claim_token, p_retry: false });
    expect(await db.call("retry_job", { p_id: id })).toEqual([{ answer: "applied", twin_id: null }]);
    expect(await jobs.read(id)).toMatchObject({ status: "pending", dedup_key: "k" });
  });
});

describe("an id that the caller chose", () => {
  test("added twice gives the first job", async () => {
    const id = randomUUID();
    await jobs.aPendingJob({ id, payload: 1 });
    expect(await add({ id, payload: 2 })).toEqual([{ id, created: false, status: "pending" }]);
    expect(await jobs.read(id)).toMatchObject({ payload: 1 });
  });

  test("added twice in one call gives one job", async () => {
    const id = randomUUID();
    expect(await add({ id }, { id })).toEqual([
      { id, created: true, status: "pending" },
      { id, created: false, status: "pending" },
    ]);
    expect(await db.call("verify")).toEqual([]);
  });

  test("gives the finished job when that has finished meanwhile", async () => {
    const id = randomUUID();
    const worker = await jobs.aWorker();
    await complete(await jobs.aClaimedJob({ by: worker, id }));
    expect(await add({ id })).toEqual([{ id, created: false, status: "completed" }]);
    expect(await db.query("select 1 from lockstep.jobs")).toEqual([]);
    expect(await db.call("verify")).toEqual([]);
  });

  test("gives the finished job also when that finishes while the add waits for it", async () => {
    const id = randomUUID();
    const claimed = await jobs.aClaimedJob({ by: await jobs.aWorker(), id });
    const [holder, adder] = [await db.connect(), await db.connect()];
    await holder.query("begin");
    await holder.query("select lockstep.complete_job($1, $2)", [id, claimed.claim_token]);
    const waiting = adder.query("select * from lockstep.add_job('orders', p_id => $1)", [id]);
    await untilBlocked(db);
    await holder.query("commit");
    expect((await waiting).rows).toEqual([{ id, created: false, status: "completed" }]);
    expect(await db.call("verify")).toEqual([]);
  });

  test("with the dedup key of another job gives that one", async () => {
    const twin = await jobs.aPendingJob({ dedupKey: "k" });
    expect(await add({ id: randomUUID(), dedupKey: "k" })).toEqual([
      { id: twin, created: false, status: "pending" },
    ]);
  });

  test("that is said to be new for this call is not looked for among the finished", async () => {
    const worker = await jobs.aWorker();
    const finished = randomUUID();
    await complete(await jobs.aClaimedJob({ by: worker, id: finished }));
    const [old, live] = [finished, await jobs.aPendingJob({ dedupKey: "k" })];
    const added = await db.call("add_new_jobs", {
      p_jobs: [
        { pipeline: "orders", id: randomUUID() },
        { pipeline: "orders", id: randomUUID(), dedupKey: "k" },
        { pipeline: "orders", id: old },
      ],
      p_now: noon,
    });
    expect(added).toMatchObject([
      { created: true },
      { id: live, created: false },
      { id: old, created: true },
    ]);
  });
});
