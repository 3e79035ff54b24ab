import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

const cancel = (id: string, at = noon) => db.value<string>("cancel_job", { p_id: id, p_now: at });

describe("a waiting job", () => {
  test("is cancelled at once, pending, scheduled or retrying", async () => {
    const retrying = await jobs.aClaimedJob({ by: worker });
    await db.value("fail_job", {
      p_id: retrying.id,
      p_claim_token: retrying.claim_token,
      p_error: { message: "broken" },
      p_now: noon,
    });
    const ids = [
      retrying.id,
      await jobs.aPendingJob(),
      await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 60) }),
    ];
    for (const id of ids) {
      expect(await cancel(id, secondsAfter(noon, 1))).toBe("cancelled");
      expect(await jobs.read(id)).toMatchObject({ status: "cancelled", finished_at: secondsAfter(noon, 1) });
    }
    expect(await jobs.read(retrying.id)).toMatchObject({ attempts: [{ outcome: "failed" }] });
    expect(await jobs.claimAs(worker, { batchSize: 9, at: secondsAfter(noon, 300) })).toEqual([]);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });
});

describe("a job that runs", () => {
  test("is asked to stop, and its holder goes on holding it", async () => {
    const { id } = await jobs.aClaimedJob({ by: worker });
    expect(await cancel(id)).toBe("cancel_requested");
    expect(await cancel(id, secondsAfter(noon, 9))).toBe("cancel_requested");
    expect(await jobs.read(id)).toMatchObject({ status: "processing", cancel_requested_at: noon });
    expect(await db.call("cancel_requests", { p_worker_id: worker })).toEqual([{ cancel_requests: id }]);
  });

  test("tells its worker by a wake-up", async () => {
    const { id } = await jobs.aClaimedJob({ by: worker });
    const listener = await db.connect();
    const channel = `${db.schema}_cancel_${worker.replaceAll("-", "")}`;
    await listener.query(`listen ${channel}`);
    const heard = new Promise<string>((resolve) => {
      listener.once("notification", (message) => resolve(message.channel));
    });
    await cancel(id);
    expect(await heard).toBe(channel);
  });

  test.each([
    ["fails", "fail_job", { p_error: { message: "aborted" } }],
    ["fails for good", "fail_job", { p_error: { message: "aborted" }, p_retry: false }],
    ["is released", "release_job", {}],
    ["is snoozed", "snooze_job", { p_for: "1 hour" }],
    ["completes a stage that is not its last", "complete_job", { p_output: 7 }],
  ])("and then %s ends as cancelled, and never comes back", async (_case, name, args) => {
    const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
    await cancel(id);
    const settle = { p_id: id, p_claim_token: claim_token, p_now: secondsAfter(noon, 2), ...args };
    expect(await db.value(name, settle)).toBe("applied");
    expect(await jobs.read(id)).toMatchObject({ status: "cancelled", attempts: [{ outcome: "cancelled" }] });
    expect(await db.query("select 1 from lockstep.jobs")).toEqual([]);
    expect(await db.value(name, settle)).toBe("already_applied");
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("and then completes its last stage is completed: that came first", async () => {
    await jobs.aPipeline("letters", ["send"]);
    const { id, claim_token } = await jobs.aClaimedJob({
      by: worker,
      pipeline: "letters",
      stage: "letters/send",
    });
    await cancel(id);
    await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_output: "sent", p_now: noon });
    expect(await jobs.read(id)).toMatchObject({ status: "completed", result: "sent" });
  });

  test("and loses its worker ends as cancelled", async () => {
    const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
    await cancel(id);
    expect(await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 601) })).toMatchObject([
      { lost_jobs: 0, cancelled_jobs: 1 },
    ]);
    expect(await jobs.read(id)).toMatchObject({ status: "cancelled", attempts: [{ outcome: "lost" }] });
    expect(await db.value("complete_job", { p_id: id, p_claim_token: claim_token })).toBe("lease_lost");
  });

  test("is ended after the grace, and its late completion is lease_lost", async () => {
    const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
    await cancel(id);
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 30) });
    expect(await jobs.read(id)).toMatchObject({ status: "processing" });
    expect(await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) })).toMatchObject([
      { cancelled_jobs: 1, lost_workers: 0 },
    ]);
    expect(await jobs.read(id)).toMatchObject({ status: "cancelled", attempts: [{ outcome: "cancelled" }] });
    const late = { p_id: id, p_claim_token: claim_token, p_now: secondsAfter(noon, 32) };
    expect(await db.value("complete_job", late)).toBe("lease_lost");
    await db.call("retry_job", { p_id: id, p_now: secondsAfter(noon, 33) });
    expect(await db.value("complete_job", late)).toBe("lease_lost");
    expect(await jobs.read(id)).toMatchObject({
      status: "pending",
      stage: "read",
      cancel_requested_at: null,
    });
  });
});

describe("a cancel", () => {
  test("of a finished job changes nothing", async () => {
    const { id } = await jobs.aFailedJob({ by: worker });
    expect(await cancel(id)).toBe("already_finished");
    expect(await jobs.read(id)).toMatchObject({ status: "failed" });
  });

  test("of a job that does not exist says so", async () => {
    expect(await cancel(randomUUID())).toBe("not_found");
  });

  test("that waits for a completion to commit finds the job finished", async () => {
    await jobs.aPipeline("letters", ["send"]);
    const { id, claim_token } = await jobs.aClaimedJob({
      by: worker,
      pipeline: "letters",
      stage: "letters/send",
    });
    const [holder, person] = [await db.connect(), await db.connect()];
    await holder.query("begin");
    await holder.query("select lockstep.complete_job($1, $2)", [id, claim_token]);
    const answer = person.query("select lockstep.cancel_job($1) as answer", [id]);
    await untilBlocked(db);
    await holder.query("commit");
    expect((await answer).rows).toEqual([{ answer: "already_finished" }]);
  });

  test("that waits for a claim to commit asks the new holder to stop", async () => {
    const id = await jobs.aPendingJob();
    const [claimer, person] = [await db.connect(), await db.connect()];
    await claimer.query("begin");
    await claimer.query("select lockstep.claim_jobs($1, '{orders/read}', 1, $2)", [worker, noon]);
    const answer = person.query("select lockstep.cancel_job($1) as answer", [id]);
    await untilBlocked(db);
    await claimer.query("commit");
    expect((await answer).rows).toEqual([{ answer: "cancel_requested" }]);
  });
});

describe("a cancel of one version", () => {
  const cancelIf = (id: string, version: unknown) =>
    db.value<string>("cancel_job", { p_id: id, p_if_version: version, p_now: noon });
  const versionOf = async (id: string) => (await jobs.read(id)).version;

  test("is done to that version, and to no other", async () => {
    const id = await jobs.aPendingJob();
    const seen = await versionOf(id);
    await jobs.claimAs(worker);
    expect(await cancelIf(id, seen)).toBe("changed");
    expect(await jobs.read(id)).toMatchObject({ status: "processing", cancel_requested_at: null });
    expect(await cancelIf(id, await versionOf(id))).toBe("cancel_requested");
  });

  test("of a finished or unknown job says so", async () => {
    const { id } = await jobs.aFailedJob({ by: worker });
    expect(await cancelIf(id, await versionOf(id))).toBe("already_finished");
    expect(await cancelIf(id, "another")).toBe("changed");
    expect(await cancelIf(randomUUID(), "another")).toBe("not_found");
  });

  test("takes the children of a fan-out along", async () => {
    const parent = await jobs.aClaimedJob({ by: worker });
    await db.value("fan_out_job", {
      p_id: parent.id,
      p_claim_token: parent.claim_token,
      p_children: [{ pipeline: "orders" }],
      p_now: noon,
    });
    expect(await cancelIf(parent.id, "another")).toBe("changed");
    expect(await cancelIf(parent.id, await versionOf(parent.id))).toBe("cancelled");
    expect(await db.query("select 1 from lockstep.jobs")).toEqual([]);
  });

  test("that waits for a claim to commit finds it changed", async () => {
    const id = await jobs.aPendingJob();
    const seen = await versionOf(id);
    const [claimer, person] = [await db.connect(), await db.connect()];
    await claimer.query("begin");
    await claimer.query("select lockstep.claim_jobs($1, '{orders/read}', 1, $2)", [worker, noon]);
    const answer = person.query("select lockstep.cancel_job($1, $2) as answer", [id, seen]);
    await untilBlocked(db);
    await claimer.query("commit");
    expect((await answer).rows).toEqual([{ answer: "changed" }]);
  });
});
