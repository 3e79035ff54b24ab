import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let workers: string[];

beforeEach(async () => {
  await db.reset();
  workers = [await jobs.aWorker({ leaseSeconds: 36_000 }), await jobs.aWorker({ leaseSeconds: 36_000 })];
});

async function add(count: number, groupKey?: string) {
  for (let number = 0; number < count; number += 1) await jobs.aPendingJob({ groupKey, payload: groupKey });
}

function claim(batchSize: number, at: Date = noon, worker = workers[0] ?? ""): Promise<ClaimedJob[]> {
  return jobs.claimAs(worker, { batchSize, at });
}

async function end(job: ClaimedJob | undefined, at: Date = noon) {
  await db.value("complete_job", { p_id: job?.id, p_claim_token: job?.claim_token, p_now: at });
}

describe("concurrency of a stage", () => {
  beforeEach(() => jobs.aPipeline("orders", [{ name: "read", concurrency: 3 }, "send"]));

  test("holds over all workers, and frees a place with each job that ends", async () => {
    await add(10);
    const [first] = await claim(2);
    expect(await claim(10, noon, workers[1])).toHaveLength(1);
    expect(await claim(10)).toEqual([]);
    await end(first);
    expect(await claim(10, noon, workers[1])).toHaveLength(1);
  });

  test.each([
    ["fail_job", { p_error: { message: "broken" } }],
    ["release_job", {}],
    ["snooze_job", { p_for: "1 hour" }],
  ])("frees a place with %s", async (name, more) => {
    await add(10);
    const [first] = await claim(3);
    await db.value(name, { p_id: first?.id, p_claim_token: first?.claim_token, ...more, p_now: noon });
    expect(await claim(10)).toHaveLength(1);
  });

  test("frees the places of a lost worker", async () => {
    await add(10);
    await claim(3);
    const later = secondsAfter(noon, 40_000);
    await db.call("sweep_lost_workers", { p_now: later });
    const heir = await jobs.aWorker({ at: later });
    expect(await claim(10, later, heir)).toHaveLength(3);
  });

  test("is passed by nobody who goes on from the stage before", async () => {
    await jobs.aPipeline("orders", ["read", { name: "send", concurrency: 1 }]);
    const [{ id = 0 } = {}] = await db.query<{ id: number }>(
      "select id from lockstep.stages where name = 'send'",
    );
    await add(2);
    const claimed = await claim(2);
    await db.call("settle_jobs", {
      p_ids: claimed.map((job) => job.id),
      p_tokens: claimed.map((job) => job.claim_token),
      p_ends: claimed.map(() => ({ keepIn: id })),
      p_stage_ids: [id],
      p_places: new Array(20).fill(0),
      p_claim_token: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
      p_now: noon,
    });
    expect(await jobs.claimAs(workers[0] ?? "", { stage: "orders/send", batchSize: 5 })).toHaveLength(1);
  });

  test("counts what ran before the limit was set", async () => {
    await jobs.aPipeline("orders", ["read"]);
    await add(10);
    await claim(4);
    await jobs.aPipeline("orders", [{ name: "read", concurrency: 5 }]);
    expect(await claim(10)).toHaveLength(1);
  });
});

describe("concurrency of a group", () => {
  test("holds for each group by itself", async () => {
    await jobs.aPipeline("orders", [{ name: "read", groupConcurrency: 2 }]);
    await add(5, "a");
    await add(5, "b");
    const claimed = await claim(10);
    expect(claimed.map(({ payload }) => payload).sort()).toEqual(["a", "a", "b", "b"]);
    await end(claimed.find(({ payload }) => payload === "b"));
    expect((await claim(10)).map(({ payload }) => payload)).toEqual(["b"]);
  });

  test("leaves the jobs without a group alone", async () => {
    await jobs.aPipeline("orders", [{ name: "read", groupConcurrency: 1 }]);
    await add(4);
    await add(4, "a");
    expect(await claim(10)).toHaveLength(5);
  });

  test("and of the stage hold together", async () => {
    await jobs.aPipeline("orders", [{ name: "read", concurrency: 3, groupConcurrency: 2 }]);
    for (const group of ["a", "b", "c"]) await add(5, group);
    const counts = (await claim(10)).map(({ payload }) => payload).sort();
    expect(counts).toEqual(["a", "b", "c"]);
    expect(await claim(10)).toEqual([]);
  });

  test("holds over priorities", async () => {
    await jobs.aPipeline("orders", [{ name: "read", groupConcurrency: 2 }]);
    for (const priority of [1, 5, 10, 20])
      await jobs.aPendingJob({ priority, groupKey: "a", payload: priority });
    expect((await claim(10)).map(({ payload }) => payload)).toEqual([1, 5]);
  });
});

describe("a rate", () => {
  const rate = { jobs: 3, perMs: 5_000 };

  test("of a stage: no span of its length sees more starts", async () => {
    await jobs.aPipeline("orders", [{ name: "read", rate }]);
    await add(40);
    const starts: number[] = [];
    for (let tenths = 0; tenths <= 200; tenths += 7) {
      const at = secondsAfter(noon, tenths / 10);
      for (const _ of await claim(10, at)) starts.push(tenths);
    }
    for (const start of starts) {
      expect(starts.filter((other) => other >= start && other < start + 50).length).toBeLessThanOrEqual(3);
    }
    // 3 at once, then as each ages out: four periods in twenty seconds, each a hundredth longer
    expect(starts.length).toBeGreaterThanOrEqual(11);
  });

  test.each([
    ["stage", { rate }],
    ["group", { groupRate: rate }],
  ])("of a %s holds for a claim that came to the gate late, with an earlier time", async (_, limits) => {
    await jobs.aPipeline("orders", [{ name: "read", ...limits }]);
    await add(10, "a");
    expect(await claim(3, noon)).toHaveLength(3);
    expect(await claim(1, secondsAfter(noon, 5.1))).toHaveLength(1);
    // By its own clock the three of the beginning still count; they were forgotten by the claim before it.
    expect(await claim(10, secondsAfter(noon, 4.9))).toHaveLength(2);
    const starts = await db.query<{ claimed_at: Date }>(
      "select claimed_at from lockstep.jobs where status = 'processing' order by claimed_at",
    );
    const later = secondsAfter(noon, 5.1);
    expect(starts.slice(3).every(({ claimed_at }) => claimed_at >= later)).toBe(true);
  });

  test("of a group holds for each by itself", async () => {
    await jobs.aPipeline("orders", [{ name: "read", groupRate: rate }]);
    await add(10, "a");
    await add(10, "b");
    await add(2);
    expect(await claim(50)).toHaveLength(8);
    expect(await claim(50, secondsAfter(noon, 4.9))).toEqual([]);
    expect(await claim(50, secondsAfter(noon, 5.2))).toHaveLength(6);
  });

  test("tells the worker when the next place comes free", async () => {
    const { read } = await jobs.aPipeline("orders", [{ name: "read", rate }]);
    await add(5);
    await claim(3);
    const rows = await db.call<{ kind: string; detail: { nextDueMs: number } }>("settle_and_claim", {
      p_worker_id: workers[0],
      p_claim_token: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
      p_ids: [],
      p_tokens: [],
      p_ends: null,
      p_stage_ids: [read],
      p_rooms: [5],
      p_places: new Array(20).fill(0),
      p_scans: [2],
      p_due_after: [null],
      p_now: secondsAfter(noon, 1),
    });
    const [stage] = rows.filter(({ kind }) => kind === "stage");
    expect(stage?.detail.nextDueMs).toBeGreaterThanOrEqual(4_000);
    expect(stage?.detail.nextDueMs).toBeLessThanOrEqual(4_060);
  });
});

describe("maxPending", () => {
  beforeEach(() => jobs.aPipeline("orders", ["read"], { maxPending: 3 }));

  test("refuses an add with a sentence, all of it", async () => {
    await add(2);
    const two = [{ pipeline: "orders" }, { pipeline: "orders" }];
    await expect(db.call("add_jobs", { p_jobs: two })).rejects.toMatchObject({
      code: "LS005",
      message:
        'Pipeline "orders" is full: with this add it would have 4 pending jobs, but its maxPending is 3.',
    });
    await add(1);
    await expect(add(1)).rejects.toMatchObject({ code: "LS005" });
    expect(await db.query("select count(*)::integer from lockstep.jobs")).toEqual([{ count: 3 }]);
  });

  test("lets adds in again when jobs were claimed", async () => {
    await add(3);
    await claim(1);
    await add(1);
    await expect(add(1)).rejects.toMatchObject({ code: "LS005" });
  });

  test("answers a twin all the same, and leaves other pipelines alone", async () => {
    await add(2);
    const id = await jobs.aPendingJob({ dedupKey: "twin" });
    expect(await jobs.aPendingJob({ dedupKey: "twin" })).toBe(id);
    await jobs.aPipeline("letters", ["print"]);
    await jobs.aPendingJob({ pipeline: "letters" });
  });

  test("is not overshot by adds at the same time", async () => {
    await jobs.aPipeline("orders", ["read"], { maxPending: 50 });
    const clients = await Promise.all(Array.from({ length: 16 }, () => db.connect()));
    const answers = await Promise.all(
      clients.map(async (client) => {
        let added = 0;
        for (let number = 0; number < 10; number += 1) {
          added += await client.query("select * from lockstep.add_job('orders')").then(
            () => 1,
            (error) => {
              expect(error.code).toBe("LS005");
              return 0;
            },
          );
        }
        return added;
      }),
    );
    expect(answers.reduce((sum, added) => sum + added, 0)).toBe(50);
  });
});

test("a claim in a late part of a long statement goes by the time of its call, not ahead of it", async () => {
  await jobs.aPipeline("orders", [{ name: "read", concurrency: 5 }]);
  await jobs.aPendingJob({ at: new Date() });
  const worker = await jobs.aWorker({ leaseSeconds: 3_600, at: new Date() });
  // Nothing is waited for: the sleep makes the statement old. What is sent in one message is one statement to the server's clock.
  await db.query(`select pg_sleep(0.5); select id from lockstep.claim_jobs('${worker}', '{orders/read}')`);
  expect(
    await db.query(
      "select claimed_at <= clock_timestamp() as has_been from lockstep.jobs where claimed_at is not null",
    ),
  ).toEqual([{ has_been: true }]);
});
