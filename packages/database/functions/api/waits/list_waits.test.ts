import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", { name: "paid", kind: "wait", waitMs: 60_000 }, "send"]);
  await jobs.aPipeline("letters", ["read", { name: "reply", kind: "wait" }]);
  await jobs.aPipeline("naps", ["read", { name: "rest", kind: "sleep", waitMs: 60_000 }]);
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

/** A job that waits in the second stage of this pipeline, since so many seconds after noon. */
async function waiting(pipeline: string, seconds = 0, owner?: string): Promise<string> {
  const at = secondsAfter(noon, seconds);
  const claimed = await jobs.aClaimedJob({ by: worker, pipeline, stage: `${pipeline}/read`, owner, at });
  await db.value("complete_job", { p_id: claimed.id, p_claim_token: claimed.claim_token, p_now: at });
  return claimed.id;
}

const idsOf = async (filter: Record<string, unknown> = {}) =>
  (await db.call<{ id: string }>("list_waits", filter)).map(({ id }) => id);

test("jobs that wait for a signal are listed, those that time out first at the top", async () => {
  const patient = await waiting("letters");
  const late = await waiting("orders", 10);
  const soon = await waiting("orders");
  await waiting("naps");
  expect(await idsOf()).toEqual([soon, late, patient]);
  expect(await db.call("list_waits", { p_limit: 1 })).toMatchObject([
    {
      pipeline: "orders",
      payload_preview: "null",
      wait: { kind: "wait", signal: "paid", until: "2026-03-02T12:01:00+00:00", onTimeout: "fail" },
    },
  ]);
});

test("a list is read in pages, and of one pipeline, owner or wait", async () => {
  const ids = [
    await waiting("orders", 0, "ann"),
    await waiting("orders", 1),
    await waiting("letters", 2, "ann"),
  ];
  const found: string[] = [];
  for (let after: unknown = null; ; ) {
    const [row] = await db.call<{ id: string; place: unknown }>("list_waits", { p_after: after, p_limit: 1 });
    if (row === undefined) break;
    found.push(row.id);
    after = row.place;
  }
  expect(found).toEqual(ids);
  expect(await idsOf({ p_pipeline: "orders" })).toEqual(ids.slice(0, 2));
  expect(await idsOf({ p_owner: "ann" })).toEqual([ids[0], ids[2]]);
  expect(await idsOf({ p_signal: "reply" })).toEqual([ids[2]]);
  await expect(idsOf({ p_limit: 0 })).rejects.toMatchObject({ code: "LS001" });
});

test("they are counted, but for those that still wait for their children", async () => {
  await waiting("orders", 0, "ann");
  await waiting("letters");
  await waiting("naps");
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker, stage: "orders/read" });
  await db.value("fan_out_job", {
    ...{ p_id: id, p_claim_token: claim_token, p_now: noon },
    p_children: [{ pipeline: "naps" }],
  });
  expect(await jobs.read(id)).toMatchObject({ stage: "paid", status: "scheduled", wait: null });
  expect(await idsOf()).not.toContain(id);
  expect(await db.value("count_waits", {})).toBe("2");
  expect(await db.value("count_waits", { p_owner: "ann" })).toBe("1");
  expect(await db.value("count_waits", { p_pipeline: "orders", p_signal: "paid" })).toBe("1");
  expect(await db.value("count_waits", { p_cap: 1 })).toBe("1");
});
