import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  worker = await jobs.aWorker({ leaseSeconds: 3_600 });
});

/** Adds jobs named after their group: three of "a" are a1, a2, a3. */
async function add(group: string, count: number, options: { priority?: number; at?: Date } = {}) {
  for (let number = 1; number <= count; number += 1) {
    const groupKey = group === "-" ? undefined : group;
    await jobs.aPendingJob({ ...options, groupKey, payload: `${group}${number}` });
  }
}

async function claim(batchSize: number, at: Date = noon): Promise<unknown[]> {
  return (await jobs.claimAs(worker, { batchSize, at })).map(({ payload }) => payload);
}

describe("groups take turns", () => {
  beforeEach(() => jobs.aPipeline("orders", ["read"]));

  test("within one claim, each in its own order", async () => {
    await add("a", 5);
    await add("b", 2);
    await add("c", 1);
    expect(await claim(6)).toEqual(["a1", "a2", "b1", "b2", "c1", "a3"]);
  });

  test("from claim to claim: the next one begins after the last that had its turn", async () => {
    await add("a", 3);
    await add("b", 3);
    await add("c", 3);
    const claimed = [];
    for (let number = 0; number < 9; number += 1) claimed.push(...(await claim(1)));
    expect(claimed).toEqual(["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]);
  });

  test("with the jobs that have no group as one more", async () => {
    await add("-", 3);
    await add("a", 3);
    const claimed = [];
    for (let number = 0; number < 6; number += 1) claimed.push(...(await claim(1)));
    expect(claimed).toEqual(["a1", "-1", "a2", "-2", "a3", "-3"]);
  });

  test("after the more urgent priority", async () => {
    await add("a", 2, { priority: 10 });
    await add("b", 2, { priority: 3 });
    await add("-", 1, { priority: 1 });
    expect(await claim(5)).toEqual(["-1", "b1", "b2", "a1", "a2"]);
  });

  test("so that one with 10,000 jobs does not delay another's ten", async () => {
    await db.query(
      `select count(*) from lockstep.add_jobs(
         (select jsonb_agg('{"pipeline": "orders", "payload": "big", "groupKey": "big"}'::jsonb) from generate_series(1, 10000)),
         p_now => $1)`,
      [noon],
    );
    await add("small", 10);
    const claimed = await claim(20);
    expect(claimed.filter((payload) => payload !== "big")).toHaveLength(10);
  });

  test("in the second stage too, where a job keeps its group", async () => {
    await jobs.aPipeline("orders", ["read", "send"]);
    await add("a", 2);
    await add("b", 1);
    for (const { id, claim_token } of await jobs.claimAs(worker, { batchSize: 3 })) {
      await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_now: noon });
    }
    const next = await jobs.claimAs(worker, { stage: "orders/send", batchSize: 3 });
    expect(next.map(({ payload }) => payload)).toEqual(["a1", "a2", "b1"]);
  });
});

describe("with ageing, a long wait counts as a better priority", () => {
  beforeEach(() => jobs.aPipeline("orders", ["read"], { ageingMs: 60_000 }));

  test("one priority for each span waited", async () => {
    await jobs.aPendingJob({ priority: 10, payload: "old", at: noon });
    await jobs.aPendingJob({ priority: 7, payload: "young", at: secondsAfter(noon, 200) });
    expect(await claim(1, secondsAfter(noon, 201))).toEqual(["old"]);
    expect(await claim(1, secondsAfter(noon, 201))).toEqual(["young"]);
  });

  test("and no sooner", async () => {
    await jobs.aPendingJob({ priority: 10, payload: "old", at: noon });
    await jobs.aPendingJob({ priority: 7, payload: "young", at: secondsAfter(noon, 170) });
    expect(await claim(2, secondsAfter(noon, 175))).toEqual(["young", "old"]);
  });

  test("job by job, not by whole lanes", async () => {
    await jobs.aPendingJob({ priority: 10, payload: "old", at: noon });
    await jobs.aPendingJob({ priority: 10, payload: "new", at: secondsAfter(noon, 300) });
    await jobs.aPendingJob({ priority: 8, payload: "middle", at: secondsAfter(noon, 300) });
    expect(await claim(3, secondsAfter(noon, 301))).toEqual(["old", "middle", "new"]);
  });
});

test("a job past its time to start is passed over", async () => {
  await jobs.aPipeline("orders", ["read"], { ageingMs: 60_000 });
  await jobs.aPendingJob({ payload: "late", startBy: secondsAfter(noon, 5) });
  await jobs.aPendingJob({ payload: "in time", startBy: secondsAfter(noon, 50) });
  expect(await claim(5, secondsAfter(noon, 10))).toEqual(["in time"]);
});

test("a look at many groups reads none of the jobs behind the first of each", async () => {
  await jobs.aPipeline("orders", [{ name: "read", groupConcurrency: 1 }]);
  for (const group of ["a", "b", "c"]) await add(group, 1);
  await claim(3);
  await db.query(
    `select count(*) from lockstep.add_jobs((
       select jsonb_agg(jsonb_build_object('pipeline', 'orders', 'groupKey', chr(97 + n % 3))) from generate_series(1, 3000) n
     ))`,
  );
  const [plan] = await db.query<{ "QUERY PLAN": { Plan: Record<string, number> }[] }>(
    `explain (analyze, buffers, format json)
     select * from lockstep.claim_jobs('${worker}', '{orders/read}', 10, '${noon.toISOString()}')`,
  );
  expect(await claim(10)).toEqual([]);
  expect(plan?.["QUERY PLAN"][0]?.Plan["Shared Hit Blocks"]).toBeLessThan(1_000);
});
