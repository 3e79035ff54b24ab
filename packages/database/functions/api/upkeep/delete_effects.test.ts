import { JobFactory, noon, runRetention, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  worker = await jobs.aWorker();
});

const days = (count: number) => secondsAfter(noon, count * 86_400);

/** A job with an effect, held by the worker. */
async function aJobWithAnEffect() {
  const job = await jobs.aClaimedJob({ by: worker });
  const named = { p_id: job.id, p_claim_token: job.claim_token, p_now: noon };
  await db.call("begin_effect", { ...named, p_key: "mail" });
  await db.value("finish_effect", { ...named, p_key: "mail" });
  return { ...job, named };
}

const left = async () =>
  (await db.query<{ job_id: string }>("select job_id from lockstep.effects order by 1")).map(
    ({ job_id }) => job_id,
  );
const remove = (at: Date, interval?: string) =>
  db.value<number>("delete_effects", { p_keep: "7 days", p_interval: interval, p_now: at });

test("an effect goes when its job is gone, and stays with one that is live or kept", async () => {
  const gone = await aJobWithAnEffect();
  await db.value("complete_job", gone.named);
  const failed = await aJobWithAnEffect();
  await db.value("fail_job", { ...failed.named, p_error: { message: "broken" }, p_retry: false });
  const live = await aJobWithAnEffect();
  const kept = [failed.id, live.id].sort();

  await runRetention(db, { p_now: days(9) });
  expect(await remove(days(9))).toBe(3);
  expect(await left()).toEqual(kept);
  await runRetention(db, { p_now: days(32) });
  expect(await remove(days(32))).toBe(2);
  expect(await left()).toEqual([live.id]);
});

test("what was looked at is left alone for as long as its job is kept, and a day", async () => {
  await aJobWithAnEffect();
  expect(await remove(days(8))).toBe(0);
  expect(await remove(secondsAfter(days(8), 1))).toBe(1);
  expect(await remove(days(16))).toBe(0);
  expect(await remove(secondsAfter(days(16), 2))).toBe(1);
});

test("one call looks at 5,000, the oldest first", async () => {
  await db.query(
    `insert into lockstep.effects (
       job_id, key, job_added_at, pipeline_id, looked_at, started_at, idempotency_key, claim_token
     )
     select gen_random_uuid(), 'mail', $1, 1, $1::timestamptz + n * interval '1 second', $1, gen_random_uuid(), gen_random_uuid()
     from generate_series(1, 5001) n`,
    [noon],
  );
  expect(await remove(days(9))).toBe(5_000);
  expect(await remove(days(9))).toBe(1);
  expect(await left()).toEqual([]);
});

test("it is done by one of the fleet in each interval", async () => {
  await aJobWithAnEffect();
  await remove(days(8.9));
  await db.query("update lockstep.effects set looked_at = $1", [noon]);
  expect(await remove(secondsAfter(days(8.9), 599), "10 minutes")).toBe(0);
  expect(await remove(secondsAfter(days(8.9), 600), "10 minutes")).toBe(1);
});
