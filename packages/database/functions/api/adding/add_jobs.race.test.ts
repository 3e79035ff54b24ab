import { JobFactory, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const count = 64;
let clients: pg.Client[];
let worker: string;

beforeAll(async () => {
  await jobs.aPipeline("orders", ["read"]);
  worker = await jobs.aWorker({ leaseSeconds: 3_600, at: new Date() });
  clients = await Promise.all(Array.from({ length: count }, () => db.connect()));
});

interface Added {
  id: string;
  created: boolean;
}

const modes = { live: null, for: { forMs: 3_600_000 } };

const addOf = (key: string, dedup: object | null) =>
  JSON.stringify([{ pipeline: "orders", dedupKey: key, dedup }]);

/** All clients add the key at once. */
async function addAtOnce(key: string, dedup: object | null): Promise<Added[]> {
  const answers = await Promise.all(
    clients.map((client) =>
      client.query("select id, created from lockstep.add_jobs($1)", [addOf(key, dedup)]),
    ),
  );
  return answers.flatMap(({ rows }) => rows);
}

async function add(key: string, dedup: object | null, inSeconds = 0): Promise<string> {
  const [added] = await db.query<Added>(
    `select id from lockstep.add_jobs(jsonb_set($1, '{0,scheduledFor}', to_jsonb(clock_timestamp() + $2::interval)))`,
    [addOf(key, dedup), `${inSeconds} seconds`],
  );
  return added?.id ?? "";
}

const claim = async () => (await jobs.claimAs(worker, { at: new Date() }))[0] ?? { id: "", claim_token: "" };

/** How a job under the key comes to each status, and whether it is live then. */
const twins: Record<string, { isLive: boolean; make(key: string, dedup: object | null): Promise<string> }> = {
  scheduled: { isLive: true, make: (key, dedup) => add(key, dedup, 3_600) },
  pending: { isLive: true, make: (key, dedup) => add(key, dedup) },
  processing: {
    isLive: true,
    async make(key, dedup) {
      await add(key, dedup);
      return (await claim()).id;
    },
  },
  retrying: { isLive: true, make: (key, dedup) => failed(key, dedup, true) },
  completed: {
    isLive: false,
    async make(key, dedup) {
      await add(key, dedup);
      const { id, claim_token } = await claim();
      await db.value("complete_job", { p_id: id, p_claim_token: claim_token });
      return id;
    },
  },
  failed: { isLive: false, make: (key, dedup) => failed(key, dedup, false) },
  cancelled: {
    isLive: false,
    async make(key, dedup) {
      const id = await add(key, dedup);
      await db.value("cancel_job", { p_id: id });
      return id;
    },
  },
};

async function failed(key: string, dedup: object | null, isRetried: boolean): Promise<string> {
  await add(key, dedup);
  const { id, claim_token } = await claim();
  await db.value("fail_job", { p_id: id, p_claim_token: claim_token, p_error: {}, p_retry: isRetried });
  return id;
}

const liveUnder = (key: string) =>
  db.query<Added>("select id from lockstep.jobs where dedup_key = $1", [key]);

/** Out of the way of the next test's claim. */
const clear = () => db.query("select lockstep.cancel_job(id) from lockstep.jobs");

describe.each(Object.entries(modes))("%s", (mode, dedup) => {
  test("64 adds of a new key at once make one job", async () => {
    const added = await addAtOnce(`${mode} new`, dedup);
    expect(added.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
    expect(await liveUnder(`${mode} new`)).toHaveLength(1);
    await clear();
  });

  test.each(Object.entries(twins))(
    "64 adds at once of a key whose job is %s",
    async (status, { isLive, make }) => {
      const key = `${mode} ${status}`;
      const twin = await make(key, dedup);
      const added = await addAtOnce(key, dedup);
      const isTaken = isLive || mode === "for";
      expect(added.filter(({ created }) => created)).toHaveLength(isTaken ? 0 : 1);
      expect(new Set(added.map(({ id }) => id)).size).toBe(1);
      expect(added[0]?.id === twin).toBe(isTaken);
      expect(await liveUnder(key)).toHaveLength(mode === "for" && !isLive ? 0 : 1);
      expect(await db.call("verify")).toEqual([]);
      await db.query("select lockstep.cancel_job(id) from lockstep.jobs where status <> 'processing'");
      await db.query("select lockstep.release_job(id, claim_token) from lockstep.jobs");
      await clear();
    },
  );
});

test("a job that is released, fails or is lost while its key is added stays the one that has it", async () => {
  const id = await add("k", null);
  const adding = (async () => {
    const all: Added[] = [];
    for (let round = 0; round < 3; round += 1) all.push(...(await addAtOnce("k", null)));
    return all;
  })();
  const mover = await db.connect();
  const minutesOn = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  for (const call of ["release_job(id, claim_token)", "fail_job(id, claim_token, '{}', true, '0')"]) {
    expect(await jobs.claimAs(worker, { at: minutesOn(1) })).toMatchObject([{ id }]);
    await mover.query(`select lockstep.${call} from lockstep.jobs where dedup_key = 'k'`);
  }
  const lost = await jobs.aWorker({ leaseSeconds: 90, at: minutesOn(0) });
  expect(await jobs.claimAs(lost, { at: minutesOn(1) })).toMatchObject([{ id }]);
  expect(await db.value("reset_stalled_jobs", { p_now: minutesOn(3) })).toBe(1);
  const added = await adding;
  expect(added.filter(({ created }) => created)).toEqual([]);
  expect(new Set(added.map((one) => one.id))).toEqual(new Set([id]));
  await clear();
});

test("a retry by hand that meets 64 adds of its key leaves one live job", async () => {
  const id = await failed("r", null, false);
  const retrier = await db.connect();
  const retrying = retrier.query("select answer, twin_id from lockstep.retry_job($1)", [id]);
  const added = await addAtOnce("r", null);
  const { rows } = await retrying;
  const [live, ...more] = await liveUnder("r");
  expect(more).toEqual([]);
  expect(rows).toEqual(
    live?.id === id ? [{ answer: "applied", twin_id: null }] : [{ answer: "conflict", twin_id: live?.id }],
  );
  expect(new Set(added.map((one) => one.id))).toEqual(new Set([live?.id]));
  expect(await db.call("verify")).toEqual([]);
});
