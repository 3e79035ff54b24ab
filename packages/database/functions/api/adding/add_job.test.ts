import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

test("a job is pending in the first stage of its pipeline, with everything it was given", async () => {
  const [added] = await db.call("add_job", {
    p_pipeline: "orders",
    p_payload: { number: 7 },
    p_priority: 3,
    p_dedup_key: "order 7",
    p_owner: "ada",
    p_tags: ["new", "large"],
    p_now: noon,
  });
  expect(added).toMatchObject({ created: true, status: "pending" });
  expect(await jobs.read(String(added?.id))).toMatchObject({
    pipeline: "orders",
    stage: "read",
    status: "pending",
    priority: 3,
    attempt: 0,
    losses: 0,
    payload: { number: 7 },
    outputs: {},
    owner: "ada",
    dedup_key: "order 7",
    tags: ["new", "large"],
    added_at: noon,
    scheduled_for: null,
    worker_id: null,
    attempts: [],
  });
});

test("a job needs nothing but its pipeline", async () => {
  const [added] = await db.call("add_job", { p_pipeline: "orders" });
  expect(await jobs.read(String(added?.id))).toMatchObject({
    payload: null,
    priority: 10,
    owner: null,
    tags: [],
  });
});

test("a job for a later time is scheduled", async () => {
  const [added] = await db.call("add_job", {
    p_pipeline: "orders",
    p_scheduled_for: secondsAfter(noon, 60),
    p_now: noon,
  });
  expect(added).toMatchObject({ created: true, status: "scheduled" });
  expect(await jobs.read(String(added?.id))).toMatchObject({ scheduled_for: secondsAfter(noon, 60) });
});

test("a job for a time that has passed is pending", async () => {
  const added = await db.call("add_job", {
    p_pipeline: "orders",
    p_scheduled_for: secondsAfter(noon, -60),
    p_now: noon,
  });
  expect(added).toMatchObject([{ created: true, status: "pending" }]);
});

test("a job takes the id it is given", async () => {
  const id = "0195b1de-0000-7000-8000-000000000001";
  expect(await db.call("add_job", { p_pipeline: "orders", p_id: id })).toEqual([
    { id, created: true, status: "pending" },
  ]);
});

test("a job of a caller's transaction goes when that is rolled back", async () => {
  const client = await db.connect();
  await client.query("begin");
  const { rows } = await client.query("select id from lockstep.add_job('orders')");
  await client.query("rollback");
  expect(await db.call("get_job", { p_id: rows[0].id })).toEqual([]);
  expect(await db.call("verify")).toEqual([]);
});
