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
  worker = await jobs.aWorker();
});

interface Held {
  id: string;
  token: string;
}

async function claim(room = 1, stage = "read", at = noon): Promise<Held[]> {
  const token = randomUUID();
  const rows = await db.call<{ kind: string; id: string }>("settle_and_claim", {
    p_worker_id: worker,
    p_claim_token: token,
    p_ids: [],
    p_tokens: [],
    p_ends: null,
    p_stage_ids: [stageIds[stage]],
    p_rooms: [room],
    p_places: null,
    p_scans: [2],
    p_due_after: null,
    p_now: at,
  });
  return rows.filter(({ kind }) => kind === "claimed").map(({ id }) => ({ id, token }));
}

async function claimOne(): Promise<Held> {
  const [held] = await claim();
  if (held === undefined) throw new Error("Nothing was claimed.");
  return held;
}

const settle = ({ id, token }: Held) =>
  db.value("complete_job", { p_id: id, p_claim_token: token, p_now: noon });
const heartbeat = (seconds: number) =>
  db.call("heartbeat", { p_worker_id: worker, p_now: secondsAfter(noon, seconds) });
const sweep = async (seconds: number) =>
  (await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, seconds) }))[0];
const ranges = () => db.query("select * from lockstep.claimed_ranges");
const listed = async () =>
  (
    await db.query<{ place: string }>(
      "select case when held_by is null then 'in line' else 'held' end as place from lockstep.jobs order by position",
    )
  ).map(({ place }) => place);

describe("a claim from the line", () => {
  // A claim makes the row longer: the page must have kept room for that, however many rows are on it.
  test.each([0, 100, 1_000])("makes no entry in any index, with payloads of %i bytes", async (bytes) => {
    const p_jobs = Array.from({ length: 400 }, (_, n) => ({
      pipeline: "orders",
      payload: "x".repeat(bytes),
      priority: 1 + (n % 20),
    }));
    await db.call("add_jobs", { p_jobs, p_now: noon });
    const connection = await db.connect();
    try {
      await connection.query("begin");
      const { rows: claimed } = await connection.query(
        `select from lockstep.settle_and_claim(
           $1, gen_random_uuid(), '{}', '{}', null, array[$2::integer], '{500}', null, '{2}', null, p_now => $3)
         where kind = 'claimed'`,
        [worker, stageIds.read, noon],
      );
      const { rows } = await connection.query(
        `select pg_stat_get_xact_tuples_updated(oid)::integer as updated,
           pg_stat_get_xact_tuples_hot_updated(oid)::integer as heap_only
         from pg_class where oid = 'lockstep.jobs'::regclass`,
      );
      expect(claimed).toHaveLength(400);
      expect(rows).toEqual([{ updated: 400, heap_only: 400 }]);
    } finally {
      await connection.query("rollback");
      await connection.end();
    }
  });

  test("is seen in the lists of what its worker holds", async () => {
    await jobs.aPendingJob();
    const { id } = await claimOne();
    const list = { p_filter: { statuses: ["processing"] }, p_limit: 10 };
    expect(await db.call("active_workers", { p_now: noon })).toMatchObject([{ active_jobs: "1" }]);
    expect(await db.call("list_jobs", list)).toMatchObject([{ id }]);
    expect(await db.call("list_jobs", { ...list, p_sort: "claimedAt" })).toMatchObject([{ id }]);
    expect(await db.call("list_jobs", { ...list, p_filter: { workerId: worker } })).toMatchObject([{ id }]);
  });

  test("is taken back when its worker is lost, and leaves nothing behind", async () => {
    for (const priority of [3, 10, 10]) await jobs.aPendingJob({ priority });
    await claim(3);
    expect(await sweep(31)).toMatchObject({ lost_workers: 1, lost_jobs: 3 });
    expect(await listed()).toEqual(["in line", "in line", "in line"]);
    expect(await ranges()).toEqual([]);
  });

  test("is taken back when it commits after its worker was swept", async () => {
    await jobs.aPendingJob();
    const late = await db.connect();
    try {
      await late.query("begin");
      await late.query(
        `select from lockstep.settle_and_claim(
           $1, gen_random_uuid(), '{}', '{}', null, array[$2::integer], '{1}', null, '{2}', null, p_now => $3)`,
        [worker, stageIds.read, noon],
      );
      expect(await sweep(31)).toMatchObject({ lost_workers: 1, lost_jobs: 0 });
      await late.query("commit");
    } finally {
      await late.end();
    }
    expect(await sweep(36)).toMatchObject({ lost_workers: 0, lost_jobs: 1 });
  });

  test("keeps its worker from leaving the list unnoticed", async () => {
    await jobs.aPendingJob();
    await claimOne();
    await db.value("deregister_worker", { p_worker_id: worker, p_now: noon });
    expect(await sweep(1)).toMatchObject({ lost_jobs: 1 });
  });

  test("leaves nothing behind when its worker leaves with all done", async () => {
    await jobs.aPendingJob();
    await settle(await claimOne());
    await db.value("deregister_worker", { p_worker_id: worker, p_now: noon });
    expect(await ranges()).toEqual([]);
  });
});

describe("a heartbeat", () => {
  test("lists as held what was claimed more than five seconds ago, and only that", async () => {
    for (let n = 0; n < 3; n += 1) await jobs.aPendingJob();
    await claim(2);
    await claim(1, "read", secondsAfter(noon, 4));
    await heartbeat(6);
    expect(await listed()).toEqual(["held", "held", "in line"]);
    expect(await ranges()).toHaveLength(1);
    expect(await db.call("active_workers", { p_now: noon })).toMatchObject([{ active_jobs: "3" }]);
    expect(await sweep(37)).toMatchObject({ lost_jobs: 3 });
  });

  test("forgets claims whose jobs have gone on", async () => {
    for (let n = 0; n < 2; n += 1) await jobs.aPendingJob();
    for (const held of await claim(2)) await settle(held);
    await heartbeat(6);
    expect(await ranges()).toEqual([]);
    expect(await listed()).toEqual(["in line", "in line"]);
  });

  test("leaves for the next one what is locked", async () => {
    await jobs.aPendingJob();
    await claimOne();
    const other = await db.connect();
    try {
      await other.query("begin");
      await other.query("select from lockstep.jobs for update");
      await heartbeat(6);
      expect(await ranges()).toHaveLength(1);
    } finally {
      await other.query("rollback");
      await other.end();
    }
    await heartbeat(12);
    expect(await listed()).toEqual(["held"]);
    expect(await ranges()).toEqual([]);
  });

  test("of a worker that was swept changes nothing", async () => {
    await jobs.aPendingJob();
    await claimOne();
    await db.query("update lockstep.workers set lost_at = $1", [noon]);
    await heartbeat(6);
    expect(await listed()).toEqual(["in line"]);
    expect(await sweep(6)).toMatchObject({ lost_jobs: 1 });
  });
});
