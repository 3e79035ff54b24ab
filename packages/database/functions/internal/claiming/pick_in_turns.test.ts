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
  const blocksRead = async () => {
    const [plan] = await db.query<{ "QUERY PLAN": { Plan: Record<string, number> }[] }>(
      `explain (analyze, buffers, format json)
       select * from lockstep.claim_jobs('${worker}', '{orders/read}', 10, '${noon.toISOString()}')`,
    );
    return plan?.["QUERY PLAN"][0]?.Plan["Shared Hit Blocks"] ?? Number.NaN;
  };
  // To read what is behind would be 3,000 at least. Some hundred are the catalogs', where other databases that come and go
  // make the server forget them: hence twice.
  expect(Math.min(await blocksRead(), await blocksRead())).toBeLessThan(2_000);
  expect(await claim(10)).toEqual([]);
});

describe("with more groups held back than one claim looks at", () => {
  const held = 2_100;

  function addOneOfEach(groups: number): Promise<unknown> {
    return db.query(
      `select count(*) from lockstep.add_jobs((
         select jsonb_agg(jsonb_build_object(
           'pipeline', 'orders', 'groupKey', 'g' || lpad(n::text, 4, '0'), 'priority', 1, 'payload', 'g' || n
         ))
         from generate_series(1, $1::integer) n
       ), p_now => $2)`,
      [groups, noon],
    );
  }

  /** As a worker asks, which is told when to come again. */
  async function look(batchSize: number): Promise<{ claimed: string[]; nextDueMs: number | null }> {
    const rows = await db.call<{ kind: string; id: string; detail: { nextDueMs: number | null } }>(
      "settle_and_claim",
      {
        p_worker_id: worker,
        p_claim_token: null,
        p_ids: null,
        p_tokens: null,
        p_ends: null,
        p_stage_ids: await db
          .query("select id from lockstep.stages")
          .then((found) => found.map(({ id }) => id)),
        p_rooms: [batchSize],
        p_places: null,
        p_scans: [2],
        p_due_after: null,
        p_now: noon,
      },
    );
    return {
      claimed: rows.filter(({ kind }) => kind === "claimed").map(({ id }) => id),
      nextDueMs: rows.find(({ kind }) => kind === "stage")?.detail.nextDueMs ?? null,
    };
  }

  beforeEach(async () => {
    await jobs.aPipeline("orders", [{ name: "read", groupConcurrency: 1 }]);
    await addOneOfEach(held);
    for (let left = held; left > 0; ) left -= (await look(left)).claimed.length;
    await addOneOfEach(held);
  });

  test("the next priority has its turn all the same", async () => {
    await add("x", 1, { priority: 2 });
    await add("y", 1, { priority: 2 });
    await add("-", 2, { priority: 3 });
    expect(await claim(10)).toEqual(["x1", "y1", "-1", "-2"]);
  });

  test("one that is free is found by the next claims, which are asked for soon", async () => {
    await add("g2050x", 1, { priority: 1 });
    const looks = [await look(5), await look(5), await look(5)];
    expect(looks.map(({ claimed }) => claimed.length)).toEqual([0, 0, 1]);
    expect(looks.slice(0, 2).map(({ nextDueMs }) => (nextDueMs ?? 0) > 0 && (nextDueMs ?? 0) <= 500)).toEqual(
      [true, true],
    );
  });

  test("each that is let go is found, though others that come first are free again and again", async () => {
    await add("g2050x", 1, { priority: 1 });
    const found: unknown[] = [];
    for (let number = 0; number < 4 && !found.includes("g2050x1"); number += 1) {
      await add(`a${number}`, 1, { priority: 1 });
      found.push(...(await claim(5)));
    }
    expect(found).toContain("g2050x1");
  });

  test("explain says so, and where the next claim goes on", async () => {
    const id = await jobs.aPendingJob({ groupKey: "g2050x", priority: 1 });
    const reasons = async () =>
      (await db.call("explain_job", { p_id: id, p_now: noon })) as { reason: string }[];
    await look(5);
    expect(await reasons()).toContainEqual({
      reason: "many_groups",
      explanation:
        'So many groups wait at priority 1 of stage read that a claim does not look at all of them. The next claim continues after group "g1000".',
      detail: { leftOff: "g1000" },
    });
    await look(5);
    await look(5);
    expect((await reasons()).map(({ reason }) => reason)).toEqual(["processing"]);
  });
});
