import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

const good = { pipeline: "orders" };

interface Added {
  id: string;
  created: boolean;
  status: string;
}

const add = (list: unknown): Promise<Added[]> => db.call<Added>("add_jobs", { p_jobs: list, p_now: noon });

async function liveJobs(): Promise<number> {
  const [row] = await db.query<{ count: number }>("select count(*)::integer from lockstep.jobs");
  return row?.count ?? Number.NaN;
}

describe("many jobs at once", () => {
  test("come back one row each, in the order given", async () => {
    await jobs.aPipeline("letters", ["send"]);
    const added = await add([
      { pipeline: "letters", payload: 1, priority: 20 },
      { pipeline: "orders", payload: 2, scheduledFor: secondsAfter(noon, 9) },
      { pipeline: "orders", payload: 3, scheduledFor: secondsAfter(noon, -9) },
    ]);
    expect(added.map(({ status }) => status)).toEqual(["pending", "scheduled", "pending"]);
    const stored: unknown[] = [];
    for (const { id } of added) stored.push(await jobs.read(id));
    expect(stored).toMatchObject([
      { pipeline: "letters", payload: 1, priority: 20 },
      { pipeline: "orders", payload: 2, scheduled_for: secondsAfter(noon, 9) },
      { pipeline: "orders", payload: 3, scheduled_for: null },
    ]);
  });

  test("can be one, a thousand or none", async () => {
    expect(await add([])).toEqual([]);
    expect(await add([good])).toHaveLength(1);
    const thousand = await add(Array.from({ length: 1_000 }, (_, payload) => ({ ...good, payload })));
    expect(new Set(thousand.map(({ id }) => id)).size).toBe(1_000);
    expect(await liveJobs()).toBe(1_001);
    expect(await db.call("verify")).toEqual([]);
  });

  test("of which one gets no answer are an error, since it would be taken for added", async () => {
    const client = await db.connect();
    await client.query("begin");
    await client.query(
      `create or replace function lockstep.settle_add(
         p_job jsonb, p_id uuid, p_inserted boolean, p_may_have_finished boolean, p_now timestamptz
       ) returns table (id uuid, created boolean, status lockstep.job_status)
       language sql as $$ select p_id, true, null::lockstep.job_status where p_job ->> 'payload' <> '2' $$`,
    );
    const list = [1, 2, 3].map((payload) => ({ ...good, payload, id: randomUUID() }));
    await expect(
      client.query("select from lockstep.add_jobs($1)", [JSON.stringify(list)]),
    ).rejects.toMatchObject({ code: "LS001", message: "3 jobs were to be added, but only 2 have a result." });
    await client.query("rollback");
    await client.end();
  });

  test("are claimed in the order they were given", async () => {
    await add(Array.from({ length: 50 }, (_, payload) => ({ ...good, payload })));
    const claimed = await jobs.claimAs(await jobs.aWorker(), { batchSize: 50 });
    expect(claimed.map(({ payload }) => payload)).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  test("may hold a payload of exactly 256 KiB", async () => {
    expect(await add([{ ...good, payload: "x".repeat(262_144 - 2) }])).toMatchObject([{ created: true }]);
  });

  test("may hold any text that JSON can", async () => {
    const payload = { "clé 😀": ['\u0001\t"\\', -1.5e-7, null, true, { "": [] }] };
    const [added] = await add([{ ...good, payload }]);
    expect((await jobs.read(String(added?.id))).payload).toEqual(payload);
  });
});

test("an add waits for the disk where the session does, by whichever function, also when it wakes a worker", async () => {
  const worker = await jobs.aWorker({ serves: ["orders/read"], leaseSeconds: 600, at: new Date() });
  const stageIds = await jobs.aPipeline("orders", ["read", "write"]);
  await db.value("wait_for_jobs", { p_worker_id: worker, p_stage_ids: [stageIds.read] });
  const client = await db.connect();
  for (const call of [
    "select lockstep.add_job('orders', '{}')",
    `select lockstep.add_jobs('[{"pipeline": "orders"}, {"pipeline": "orders", "dedupKey": "k"}]')`,
    `select lockstep.add_jobs_of_pipeline('orders', array[gen_random_uuid()], '[{}]')`,
  ]) {
    await client.query("begin");
    await client.query("set local synchronous_commit = on");
    await client.query(call);
    const { rows } = await client.query("select current_setting('synchronous_commit') as value");
    await client.query("rollback");
    expect(rows).toEqual([{ value: "on" }]);
  }
});

describe("one bad job refuses all of them:", () => {
  test.each([
    ["a priority of 0", { priority: 0 }, "LS001", /Job 2 of 3 cannot be added: the priority is 0/],
    ["a priority of 21", { priority: 21 }, "LS001", /the priority is 21, but must be from 1 to 20/],
    ["a priority of 100000", { priority: 100_000 }, "LS001", /the priority is 100000/],
    ["a payload over 256 KiB", { payload: "x".repeat(262_143) }, "LS001", /the payload has 262145 bytes/],
    [
      "a payload that only its control characters make larger than 256 KiB",
      { payload: "\u0001".repeat(50_000) },
      "LS001",
      /the payload has 300002 bytes/,
    ],
    [
      "a time six years ahead",
      { scheduledFor: "2032-03-03T00:00:00Z" },
      "LS001",
      /the limit is 5 years from now/,
    ],
    ["an endless wait", { scheduledFor: "infinity" }, "LS001", /the limit is 5 years from now/],
    ["an empty dedup key", { dedupKey: "" }, "LS001", /the dedup key has 0 bytes/],
    ["a dedup key of 256 bytes", { dedupKey: "é".repeat(128) }, "LS001", /the dedup key has 256 bytes/],
    ["an empty owner", { owner: "" }, "LS001", /the owner has 0 bytes/],
    ["an owner of 256 bytes", { owner: "o".repeat(256) }, "LS001", /the owner has 256 bytes/],
    ["21 tags", { tags: Array.from({ length: 21 }, String) }, "LS001", /it has 21 tags, but the limit is 20/],
    ["an unknown pipeline", { pipeline: "oders" }, "LS002", /There is no pipeline "oders"/],
    ["no pipeline", { pipeline: null }, "LS002", /There is no pipeline ""/],
  ])("%s", async (_case, bad, code, message) => {
    await expect(add([good, { ...good, ...bad }, good])).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(await liveJobs()).toBe(0);
    expect(await db.call("verify")).toEqual([]);
  });

  test.each([["an object"], ["a string"], [null]])("something else than a list (%s)", async (list) => {
    await expect(add(list === "an object" ? {} : list)).rejects.toMatchObject({ code: "LS001" });
  });

  test("a pipeline all of whose stages were taken out is not taken for a known one", async () => {
    await db.query("update lockstep.stages set ordinal = null");
    await expect(add([good])).rejects.toMatchObject({ code: "LS002" });
  });
});
