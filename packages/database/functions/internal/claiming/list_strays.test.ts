import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let stageIds: Record<string, number>;
let worker: string;

beforeEach(async () => {
  await db.reset();
  stageIds = await jobs.aPipeline("orders", ["read", "send"]);
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

const claim = (room: number) =>
  db.call("settle_and_claim", {
    p_worker_id: worker,
    p_claim_token: randomUUID(),
    p_ids: [],
    p_tokens: [],
    p_ends: null,
    p_stage_ids: [stageIds.read],
    p_rooms: [room],
    p_places: null,
    p_scans: [2],
    p_due_after: null,
    p_now: noon,
  });

/** As a fault would: the jobs are held, and what finds them is gone. */
async function strays(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await jobs.aPendingJob({ priority: 1 + (n % 3) });
  await claim(count);
  await db.query("delete from lockstep.claimed_ranges");
}

const sweep = async (seconds: number) =>
  (await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, seconds) }))[0];
const listStrays = () => db.value("list_strays", { p_now: secondsAfter(noon, 16) });
const violations = async (seconds: number) =>
  (await db.call<{ invariant: string }>("verify", { p_now: secondsAfter(noon, seconds) })).map(
    ({ invariant }) => invariant,
  );
const shown = () => db.query("select status, held_by from lockstep.jobs order by id");

describe("a held job that no range and no list covers", () => {
  test("is listed as held while its worker lives, and goes on", async () => {
    await strays(1);
    expect(await violations(16)).toEqual(["V22"]);
    expect(await sweep(16)).toMatchObject({ lost_jobs: 0 });
    expect(await shown()).toEqual([{ status: "processing", held_by: worker }]);
    expect(await violations(16)).toEqual([]);
  });

  test("is taken back by the sweep that finds it, when its worker is gone", async () => {
    await strays(4);
    await db.query("delete from lockstep.workers");
    expect(await sweep(16)).toMatchObject({ lost_jobs: 4 });
    expect(await shown()).toEqual(Array(4).fill({ status: "pending", held_by: null }));
    expect(await violations(16)).toEqual([]);
  });

  test("is found behind jobs that wait, and in each lane", async () => {
    await strays(3);
    await db.query("update lockstep.jobs set position = position + 1000000");
    for (let n = 0; n < 50; n += 1) await jobs.aPendingJob({ priority: 1 });
    expect(await listStrays()).toBe(3);
  });

  test("is found among as many as there are, a hundred of a lane at each sweep", async () => {
    await strays(250);
    await db.query("update lockstep.jobs set priority = 10");
    await db.query("delete from lockstep.workers");
    expect(await sweep(16)).toMatchObject({ lost_jobs: 100 });
    expect(await sweep(21)).toMatchObject({ lost_jobs: 100 });
    expect(await sweep(26)).toMatchObject({ lost_jobs: 50 });
  });

  test("is left alone while another has it locked", async () => {
    await strays(2);
    const other = await db.connect();
    await other.query("begin");
    await other.query("select from lockstep.jobs order by id limit 1 for update");
    expect(await listStrays()).toBe(1);
    await other.query("rollback");
    expect(await listStrays()).toBe(1);
  });
});

describe("a look for strays", () => {
  test("passes over what is in a range of its claim, and what waits", async () => {
    for (let n = 0; n < 3; n += 1) await jobs.aPendingJob();
    await claim(2);
    expect(await listStrays()).toBe(0);
    expect(await violations(16)).toEqual([]);
  });

  test("is made once a minute when there is nothing to find", async () => {
    await sweep(0);
    await strays(1);
    await sweep(59);
    expect(await violations(59)).toEqual(["V22"]);
    await sweep(60);
    expect(await violations(60)).toEqual([]);
  });

  test("reads the first hundred of each lane, however many wait", async () => {
    await db.query(
      `select count(*) from lockstep.add_jobs((
         select jsonb_agg(jsonb_build_object('pipeline', 'orders', 'priority', 1 + n % 2)) from generate_series(1, 1000) n
       ))`,
    );
    const connection = await db.connect();
    await connection.query("begin");
    await connection.query("select lockstep.list_strays($1)", [noon]);
    const { rows } = await connection.query(
      `select pg_stat_get_xact_numscans('lockstep.jobs'::regclass)::integer as scans,
         pg_stat_get_xact_tuples_fetched('lockstep.claimable_in_order'::regclass)::integer as fetched`,
    );
    await connection.query("rollback");
    // The first of each of two lanes, none after them, and a hundred of each.
    expect(rows).toEqual([{ scans: 0, fetched: 202 }]);
  });
});
