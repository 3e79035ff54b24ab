import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", { name: "paid", kind: "wait" }, "send"]);
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

const add = (key: string | null, more: Record<string, unknown> = {}) =>
  db.call<{ id: string; created: boolean }>("add_job", {
    p_pipeline: "orders",
    p_signal_key: key,
    p_now: noon,
    ...more,
  });
const signal = (key: string, pipeline = "orders") =>
  db.call("signal_job_by_key", {
    p_pipeline: pipeline,
    p_key: key,
    p_name: "paid",
    p_value: 1,
    p_now: secondsAfter(noon, 1),
  });

describe("a signal key of an add", () => {
  test("leads to the job, live or finished, and to no other", async () => {
    const [first] = await add("order 7");
    await add("order 8");
    expect(await signal("order 7")).toEqual([{ answer: "kept", job_id: first?.id }]);
    expect(await signal("order 9")).toEqual([{ answer: "not_found", job_id: null }]);
    expect(await signal("order 7", "others")).toEqual([{ answer: "not_found", job_id: null }]);
    const [gone] = await add("order 10");
    await db.value("cancel_job", { p_id: gone?.id, p_now: noon });
    expect(await signal("order 10")).toEqual([{ answer: "already_finished", job_id: gone?.id }]);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("is refused while a live job has it, and then nothing is added", async () => {
    const [first] = await add("order 7");
    const jobsBoth = [
      { pipeline: "orders", signalKey: "order 8" },
      { pipeline: "orders", signalKey: "order 7" },
    ];
    await expect(db.call("add_jobs", { p_jobs: jobsBoth, p_now: noon })).rejects.toMatchObject({
      code: "LS003",
      message: `Signal key "order 7" of pipeline "orders" belongs to job ${first?.id}, which is live.`,
    });
    expect(await db.query("select key from lockstep.signal_keys")).toEqual([{ key: "order 7" }]);
    await expect(add("")).rejects.toMatchObject({ code: "LS001" });
    await expect(add("x".repeat(256))).rejects.toMatchObject({ code: "LS001" });
  });

  test("stays with the job when its add is sent again, and is not given to a twin", async () => {
    const id = randomUUID();
    await add("order 7", { p_id: id });
    expect(await add("order 7", { p_id: id })).toMatchObject([{ id, created: false }]);
    const [twin] = await add(null, { p_dedup_key: "k" });
    expect(await add("order 8", { p_dedup_key: "k" })).toMatchObject([{ id: twin?.id, created: false }]);
    expect(await signal("order 8")).toMatchObject([{ answer: "not_found" }]);
    const [throttled] = await add("order 9", { p_dedup_key: "m", p_dedup: { forMs: 5000 } });
    expect(await signal("order 9")).toEqual([{ answer: "kept", job_id: throttled?.id }]);
  });

  test("of two adds at once is given to one, and the other is told", async () => {
    const [one, other] = [await db.connect(), await db.connect()];
    await one.query("begin");
    const sql = "select id from lockstep.add_job('orders', p_signal_key => 'order 7')";
    const { rows } = await one.query<{ id: string }>(sql);
    const second = other.query(sql).catch((error) => error);
    await untilBlocked(db);
    await one.query("commit");
    expect(await second).toMatchObject({
      code: "LS003",
      message: expect.stringContaining(rows[0]?.id ?? ""),
    });
  });
});

describe("a signal key of a handler", () => {
  const set = (id: string, token: string, key = "order 7") =>
    db.value("set_signal_key", { p_id: id, p_claim_token: token, p_key: key, p_now: noon });

  test("is set only by the claim that holds the job", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    expect(await set(claimed.id, randomUUID())).toBe("lease_lost");
    expect(await signal("order 7")).toMatchObject([{ answer: "not_found" }]);
    expect(await set(claimed.id, claimed.claim_token)).toBe("applied");
    expect(await set(claimed.id, claimed.claim_token)).toBe("applied");
    expect(await set(claimed.id, claimed.claim_token, "another")).toBe("applied");
    expect(await signal("another")).toEqual([{ answer: "kept", job_id: claimed.id }]);
  });

  test("is taken over from a job that has finished", async () => {
    const [first] = await add("order 7");
    const [claimed] = await jobs.claimAs(worker);
    expect(claimed?.id).toBe(first?.id);
    const next = await jobs.aClaimedJob({ by: worker });
    await expect(set(next.id, next.claim_token)).rejects.toMatchObject({ code: "LS003" });
    await db.value("fail_job", {
      p_id: claimed?.id,
      p_claim_token: claimed?.claim_token,
      p_error: { message: "broken" },
      p_retry: false,
      p_now: noon,
    });
    expect(await set(next.id, next.claim_token)).toBe("applied");
    expect(await signal("order 7")).toEqual([{ answer: "kept", job_id: next.id }]);
  });
});
