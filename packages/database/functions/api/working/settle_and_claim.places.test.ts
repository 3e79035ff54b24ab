import { JobFactory, noon, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;
let read: number;

beforeEach(async () => {
  await db.reset();
  read = (await jobs.aPipeline("orders", ["read"])).read ?? 0;
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

interface ExchangeRow {
  kind: string;
  id: string;
  priority: number;
  position: string;
}

const fromStart = (): string[] => Array.from({ length: 20 }, () => "0");

const look = (options: { room: number; places?: string[]; scan?: 0 | 1 | 2 }) =>
  db.call<ExchangeRow>("settle_and_claim", {
    p_worker_id: worker,
    p_claim_token: null,
    p_ids: [],
    p_tokens: [],
    p_ends: null,
    p_stage_ids: [read],
    p_rooms: [options.room],
    p_places: options.places ?? fromStart(),
    p_scans: [options.scan ?? 1],
    p_due_after: [null],
    p_now: noon,
  });

/** In the order of the line; the rows come in any. */
const claimedIn = (rows: ExchangeRow[]) =>
  rows
    .filter(({ kind }) => kind === "claimed")
    .sort((a, b) => a.priority - b.priority || Number(a.position) - Number(b.position));
const idsIn = (rows: ExchangeRow[]) => claimedIn(rows).map(({ id }) => id);

function placesAfter(rows: ExchangeRow[], places = fromStart()): string[] {
  for (const { priority, position } of claimedIn(rows)) {
    if (BigInt(position) > BigInt(places[priority - 1] ?? 0)) places[priority - 1] = position;
  }
  return places;
}

describe("the look from the places", () => {
  test("goes on where the last claim ended, in each priority", async () => {
    const ids: string[] = [];
    for (const priority of [10, 10, 5, 10]) ids.push(await jobs.aPendingJob({ priority }));
    const first = await look({ room: 2 });
    expect(idsIn(first)).toEqual([ids[2], ids[0]]);
    const second = await look({ room: 9, places: placesAfter(first), scan: 0 });
    expect(idsIn(second)).toEqual([ids[1], ids[3]]);
  });

  test("finds a more urgent job that came later", async () => {
    await jobs.aPendingJob();
    const places = placesAfter(await look({ room: 1 }));
    const usual = await jobs.aPendingJob();
    const urgent = await jobs.aPendingJob({ priority: 1 });
    expect(idsIn(await look({ room: 1, places, scan: 0 }))).toEqual([urgent]);
    expect(idsIn(await look({ room: 1, places, scan: 0 }))).toEqual([usual]);
  });

  test("finds a job that came back, since that has a new position", async () => {
    const rows = await look({ room: 1 });
    expect(idsIn(rows)).toEqual([]);
    const one = await jobs.aClaimedJob({ by: worker });
    const later = await jobs.aClaimedJob({ by: worker });
    const [{ position } = { position: "0" }] = await db.query<{ position: string }>(
      "select position from lockstep.jobs where id = $1",
      [later.id],
    );
    const places = fromStart();
    places[9] = position;
    await db.value("release_job", { p_id: one.id, p_claim_token: one.claim_token, p_now: noon });
    expect(idsIn(await look({ room: 1, places, scan: 0 }))).toEqual([one.id]);
  });
});

describe("a job that commits after later ones were claimed", () => {
  let places: string[];
  let late: string;

  beforeEach(async () => {
    const client = await db.connect();
    await client.query("begin");
    const { rows } = await client.query("select id from lockstep.add_job('orders', p_now => $1)", [noon]);
    late = rows[0].id;
    await jobs.aPendingJob();
    places = placesAfter(await look({ room: 1, scan: 2 }));
    await client.query("commit");
  });

  test("is behind a look from the places", async () => {
    expect(idsIn(await look({ room: 5, places, scan: 0 }))).toEqual([]);
  });

  test("is found by a look that comes back short", async () => {
    expect(idsIn(await look({ room: 5, places, scan: 1 }))).toEqual([late]);
  });

  test("is not looked for while the look from the places is full", async () => {
    const waiting = await jobs.aPendingJob();
    expect(idsIn(await look({ room: 1, places, scan: 1 }))).toEqual([waiting]);
  });

  test("is found by a look from the start, in its order", async () => {
    const waiting = await jobs.aPendingJob();
    expect(idsIn(await look({ room: 5, places, scan: 2 }))).toEqual([late, waiting]);
  });
});
