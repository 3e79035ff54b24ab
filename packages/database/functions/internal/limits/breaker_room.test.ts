import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const breaker = { failureRate: 0.5, windowMs: 60_000, minAttempts: 4, pauseMs: 30_000 };
let worker: string;

beforeEach(async () => {
  await db.reset();
  worker = await jobs.aWorker({ leaseSeconds: 36_000 });
});

async function add(count: number, groupKey?: string) {
  for (let number = 0; number < count; number += 1) await jobs.aPendingJob({ groupKey, payload: groupKey });
}

function claim(batchSize: number, at: Date = noon): Promise<ClaimedJob[]> {
  return jobs.claimAs(worker, { batchSize, at });
}

async function complete(job: ClaimedJob | undefined, at: Date = noon) {
  await db.value("complete_job", { p_id: job?.id, p_claim_token: job?.claim_token, p_now: at });
}

async function fail(job: ClaimedJob | undefined, at: Date = noon) {
  const error = { message: "The provider is down." };
  await db.value("fail_job", { p_id: job?.id, p_claim_token: job?.claim_token, p_error: error, p_now: at });
}

describe("a breaker per stage", () => {
  beforeEach(async () => {
    await jobs.aPipeline("orders", [{ name: "read", breaker }]);
    await add(20);
  });

  async function opened() {
    for (const job of await claim(4)) await fail(job);
  }

  test("opens when the failure rate is reached, and then lets nothing through", async () => {
    const [one, two, three, four] = await claim(4);
    await complete(one);
    await complete(two);
    await fail(three);
    expect(await claim(1)).toHaveLength(1);
    await fail(four);
    expect(await claim(10)).toEqual([]);
    expect(await claim(10, secondsAfter(noon, 29))).toEqual([]);
  });

  test("says nothing on fewer attempts than it needs", async () => {
    for (const job of await claim(3)) await fail(job);
    expect(await claim(5)).toHaveLength(5);
  });

  test("forgets what failed before its window", async () => {
    for (const job of await claim(3)) await fail(job);
    const later = secondsAfter(noon, 61);
    for (const job of await claim(3, later)) await fail(job, later);
    expect(await claim(1, later)).toHaveLength(1);
  });

  test("spends no attempt of the jobs that wait", async () => {
    await opened();
    await claim(10, secondsAfter(noon, 5));
    const rows = await db.query("select distinct attempt from lockstep.jobs where status = 'pending'");
    expect(rows).toEqual([{ attempt: 0 }]);
  });

  test("after its pause lets one job through, and closes when that is done", async () => {
    await opened();
    const later = secondsAfter(noon, 31);
    const [probe, ...others] = await claim(10, later);
    expect(others).toEqual([]);
    expect(await claim(10, secondsAfter(noon, 32))).toEqual([]);
    await complete(probe, secondsAfter(noon, 33));
    expect((await claim(10, secondsAfter(noon, 34))).length).toBeGreaterThan(5);
  });

  test("opens again when that fails", async () => {
    await opened();
    const [probe] = await claim(10, secondsAfter(noon, 31));
    await fail(probe, secondsAfter(noon, 33));
    expect(await claim(10, secondsAfter(noon, 34))).toEqual([]);
    expect(await claim(10, secondsAfter(noon, 62))).toEqual([]);
    expect(await claim(10, secondsAfter(noon, 65))).toHaveLength(1);
  });

  test("lets another through when the first came back without a verdict", async () => {
    await opened();
    const [probe] = await claim(10, secondsAfter(noon, 31));
    await db.value("release_job", {
      p_id: probe?.id,
      p_claim_token: probe?.claim_token,
      p_now: secondsAfter(noon, 32),
    });
    expect(await claim(10, secondsAfter(noon, 33))).toHaveLength(1);
  });
});

test("a breaker per group stops that group alone", async () => {
  await jobs.aPipeline("orders", [{ name: "read", breaker: { ...breaker, per: "group" } }]);
  await add(10, "bad");
  for (const job of await claim(4)) await fail(job);
  await add(3, "good");
  await add(2);
  expect((await claim(20)).map(({ payload }) => payload)).toEqual(["good", "good", "good", null, null]);
  const [probe, ...others] = await claim(20, secondsAfter(noon, 31));
  expect([probe?.payload, others]).toEqual(["bad", []]);
  await complete(probe, secondsAfter(noon, 31.5));
  expect((await claim(20, secondsAfter(noon, 32))).length).toBe(5);
});
