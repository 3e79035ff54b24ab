import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, settledBy, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const token = randomUUID();
let worker: string;
let read: number;
let write: number;

beforeEach(async () => {
  await db.reset();
  const ids = await jobs.aPipeline("orders", ["read", "write"]);
  read = ids.read ?? 0;
  write = ids.write ?? 0;
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

interface ExchangeRow {
  kind: string;
  id: string;
  stage_id: number;
  attempt: number;
  priority: number;
  position: string;
  owner: string;
  tags: string[];
  payload: unknown;
  outputs: unknown;
  detail: Record<string, unknown>;
}

interface Look {
  room: number;
  scan?: 0 | 1 | 2;
  dueAfter?: Date;
}

const fromStart = (): string[] => Array.from({ length: 20 }, () => "0");

/** One call for the first stage alone. */
async function look(options: Look, more: object = {}): Promise<ExchangeRow[]> {
  return db.call<ExchangeRow>("settle_and_claim", {
    p_worker_id: worker,
    p_claim_token: token,
    ...settledBy([]),
    p_stage_ids: [read],
    p_rooms: [options.room],
    p_places: fromStart(),
    p_scans: [options.scan ?? 1],
    p_due_after: [options.dueAfter ?? null],
    p_now: noon,
    ...more,
  });
}

const claimedIn = (rows: ExchangeRow[]) => rows.filter(({ kind }) => kind === "claimed");
const idsIn = (rows: ExchangeRow[]) => claimedIn(rows).map(({ id }) => id);

describe("one call", () => {
  test("claims one stage in order and the next in turns", async () => {
    const plain = await jobs.aPendingJob();
    const grouped = await jobs.aPendingJob({ groupKey: "ada" });
    await db.query("update lockstep.jobs set stage_id = $1 where id = $2", [write, grouped]);
    const both = { p_stage_ids: [read, write], p_rooms: [5, 5], p_scans: [2, 2], p_due_after: [null, null] };
    const rows = await look({ room: 5 }, { ...both, p_places: [...fromStart(), ...fromStart()] });
    expect(idsIn(rows).sort()).toEqual([plain, grouped].sort());
  });

  test("settles what has ended and claims what there is room for", async () => {
    const one = await jobs.aClaimedJob({ by: worker });
    const waiting = await jobs.aPendingJob({ payload: { n: 2 }, owner: "ada", tags: ["new"] });
    const rows = await look(
      { room: 5 },
      {
        ...settledBy([{ id: one.id, token: one.claim_token, outcome: "release" }]),
      },
    );
    expect(rows).toMatchObject([
      { kind: "settled", id: one.id, detail: { answer: "applied", status: "pending" } },
      {
        kind: "claimed",
        id: waiting,
        attempt: 1,
        priority: 10,
        payload: { n: 2 },
        owner: "ada",
        tags: ["new"],
      },
      { kind: "claimed", id: one.id, attempt: 1 },
      { kind: "stage", stage_id: read },
    ]);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("serves several stages, each with its own room", async () => {
    for (const _ of [1, 2, 3]) await jobs.aPendingJob();
    const [one] = await jobs.claimAs(worker);
    await db.value("complete_job", {
      p_id: one?.id,
      p_claim_token: one?.claim_token,
      p_output: 7,
      p_now: noon,
    });
    const rows = await look(
      { room: 1 },
      {
        p_stage_ids: [write, read],
        p_rooms: [4, 1],
        p_places: [...fromStart(), ...fromStart()],
        p_scans: [2, 2],
        p_due_after: [null, null],
      },
    );
    expect(claimedIn(rows)).toMatchObject([
      { stage_id: write, id: one?.id, outputs: { read: 7 } },
      { stage_id: read },
    ]);
  });

  test("without stages only settles, and says nothing of a plain done", async () => {
    const one = await jobs.aClaimedJob({ by: worker });
    const ends = settledBy([{ id: one.id, token: one.claim_token }]);
    expect(await look({ room: 0 }, { ...ends, p_stage_ids: [] })).toEqual([]);
    expect(await jobs.read(one.id)).toMatchObject({ stage: "write", status: "pending" });
  });

  test("without room claims nothing and reports no look", async () => {
    await jobs.aPendingJob();
    expect(await look({ room: 0 })).toEqual([]);
  });

  test("settles for a worker whose lease is over, but claims nothing and says so", async () => {
    const one = await jobs.aClaimedJob({ by: worker });
    await jobs.aPendingJob();
    const rows = await look(
      { room: 5 },
      {
        ...settledBy([{ id: one.id, token: one.claim_token, outcome: "give_up" }]),
        p_now: secondsAfter(noon, 601),
      },
    );
    expect(rows.map(({ kind }) => kind)).toEqual(["settled", "lost"]);
    expect(await look({ room: 5 }, { p_worker_id: randomUUID() })).toMatchObject([{ kind: "lost" }]);
  });

  test("leaves a paused stage alone", async () => {
    await jobs.aPendingJob();
    await db.value("pause_stage", { p_pipeline: "orders", p_stage: "read" });
    expect(await look({ room: 5 })).toEqual([]);
  });

  test("that only claims need not wait for the disk; one that settles, or is claim_jobs, does", async () => {
    const client = await db.connect();
    const waits = async (call: string) => {
      await client.query("begin");
      await client.query("set local synchronous_commit = on");
      await client.query(call);
      const { rows } = await client.query("select current_setting('synchronous_commit') as value");
      await client.query("rollback");
      return rows[0].value;
    };
    const call = (ids: string) =>
      `select lockstep.settle_and_claim('${worker}', '${token}', '{${ids}}', '{${ids}}', null,
         array[${read}], array[1], null, array[2], null)`;
    expect(await waits(call(""))).toBe("off");
    expect(await waits(call(randomUUID()))).toBe("on");
    await jobs.aWorker({ id: worker, leaseSeconds: 600, at: new Date() });
    expect(await waits(`select lockstep.claim_jobs('${worker}', '{orders/read}')`)).toBe("on");
  });
});

describe("what a look reports", () => {
  test("is nothing when it was full and not from the start", async () => {
    await jobs.aPendingJob();
    expect((await look({ room: 1, scan: 1 })).map(({ kind }) => kind)).toEqual(["claimed"]);
  });

  test("is how long the look from the start took, and none when there was none", async () => {
    const [short] = await look({ room: 1, scan: 1 });
    expect(short).toMatchObject({ kind: "stage", stage_id: read, detail: { scanMs: expect.any(Number) } });
    const [without] = await look({ room: 1, scan: 0 });
    expect(without).toMatchObject({ kind: "stage", detail: { scanMs: null } });
    await jobs.aPendingJob();
    const full = await look({ room: 1, scan: 2 });
    expect(full.map(({ kind }) => kind)).toEqual(["claimed", "stage"]);
  });

  test("is when the next job is due, and nothing when none is scheduled", async () => {
    expect((await look({ room: 1 }))[0]?.detail).toMatchObject({ nextDueMs: null });
    await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 90) });
    await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 12.5) });
    const [row] = await look({ room: 1 });
    expect(row?.detail).toMatchObject({ nextDueMs: 12_500 });
    expect(new Date(String(row?.detail.promotedUpTo))).toEqual(noon);
  });
});

describe("a claim of a hundred jobs", () => {
  const isSharedIn = (rows: ExchangeRow[]) => rows.some(({ kind }) => kind === "shared");
  let other: string;

  beforeEach(async () => {
    other = await jobs.aWorker({ leaseSeconds: 600 });
    const p_jobs = Array.from({ length: 1_000 }, () => ({ pipeline: "orders", payload: null }));
    await db.call("add_jobs", { p_jobs, p_now: noon });
  });

  async function otherClaims(room: number, more: object = {}): Promise<void> {
    const rows = await look({ room }, { p_worker_id: other, p_claim_token: randomUUID(), ...more });
    expect(claimedIn(rows)).toHaveLength(room);
  }

  test.each([1, 300])("tells that another worker has just claimed %i from the line", async (room) => {
    await otherClaims(room);
    const rows = await look({ room: 100, scan: 0 }, { p_now: secondsAfter(noon, 0.9) });
    expect(claimedIn(rows)).toHaveLength(100);
    expect(rows.filter(({ kind }) => kind === "shared")).toMatchObject([{ stage_id: null, detail: null }]);
  });

  test("tells it after many claims of its own", async () => {
    await otherClaims(1);
    for (let claim = 0; claim < 5; claim += 1) expect(isSharedIn(await look({ room: 100 }))).toBe(true);
  });

  test("does not when the others' claims are a second old, or of another stage", async () => {
    await otherClaims(1);
    await db.query("update lockstep.jobs set stage_id = $1 where priority = 10 and status = 'pending'", [
      write,
    ]);
    const ofWrite = { p_stage_ids: [write] };
    expect(isSharedIn(await look({ room: 100 }, ofWrite))).toBe(false);
    await otherClaims(1, ofWrite);
    expect(isSharedIn(await look({ room: 100 }, { ...ofWrite, p_now: secondsAfter(noon, 1) }))).toBe(false);
    expect(isSharedIn(await look({ room: 100 }, ofWrite))).toBe(true);
  });

  test("does not for this worker's own claims, and one of fewer jobs does not at all", async () => {
    await look({ room: 100 });
    expect(isSharedIn(await look({ room: 100 }))).toBe(false);
    await otherClaims(1);
    expect(isSharedIn(await look({ room: 99 }))).toBe(false);
  });
});

describe("a claim promotes", () => {
  test("what is due, also in a look from the places", async () => {
    const id = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 5) });
    expect(idsIn(await look({ room: 1, scan: 0 }))).toEqual([]);
    const at = { p_now: secondsAfter(noon, 5) };
    expect(idsIn(await look({ room: 1, scan: 0, dueAfter: noon }, at))).toEqual([id]);
  });

  test("nothing that was due before the caller's last look, until that looks at everything again", async () => {
    const id = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 5) });
    const at = { p_now: secondsAfter(noon, 60) };
    expect(idsIn(await look({ room: 1, dueAfter: secondsAfter(noon, 10) }, at))).toEqual([]);
    expect(idsIn(await look({ room: 1 }, at))).toEqual([id]);
  });
});
