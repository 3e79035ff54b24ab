import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine, type Engine } from "../../engine.ts";
import type { JobFilter } from "../../jobs/reading/job-filter.ts";
import type { JobPage, PageOptions } from "../../jobs/reading/job-page.ts";
import type { Reader } from "./reader.ts";

const db = testDatabase();
const factory = new JobFactory(db);
let engine: Engine;
let reader: Reader;
/** Oldest first. */
const added: string[] = [];

beforeAll(async () => {
  engine = createEngine({ databaseUrl: db.url, logger: null });
  reader = engine.reader({ connections: 2 });
  await factory.aPipeline("orders", ["read"]);
  const worker = await factory.aWorker({ leaseSeconds: 600 });
  for (let count = 0; count < 11; count++) {
    const at = secondsAfter(noon, count);
    const options = { at, payload: { count, secret: "yes" }, groupKey: "g", owner: `owner ${count % 2}` };
    if (count % 3 > 0) added.push(await factory.aPendingJob({ ...options, priority: 20 }));
    else added.push((await factory.aFailedJob({ ...options, by: worker, priority: 1 })).id);
  }
});

afterAll(() => engine.stop());

const ids = (page: JobPage) => page.jobs.map(({ id }) => id);

async function walk(filter: JobFilter, options: PageOptions): Promise<JobPage[]> {
  const pages = [await reader.jobs(filter, options)];
  for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) {
    pages.push(await reader.jobs(filter, { ...options, cursor: next }));
  }
  return pages;
}

describe("pages", () => {
  test("go to the end, each job once, and back to the first page", async () => {
    const pages = await walk({}, { limit: 4 });
    expect(pages.map((page) => page.jobs.length)).toEqual([4, 4, 3]);
    expect(pages.flatMap(ids)).toEqual(added.toReversed());
    expect(pages[0]?.previous).toBeNull();

    const middle = await reader.jobs({}, { limit: 4, cursor: String(pages[2]?.previous) });
    expect(ids(middle)).toEqual(ids(pages[1] as JobPage));
    const first = await reader.jobs({}, { limit: 4, cursor: String(middle.previous) });
    expect(first).toEqual(pages[0]);
    const second = await reader.jobs({}, { limit: 4, cursor: String(middle.next) });
    expect(ids(second)).toEqual(ids(pages[2] as JobPage));
  });

  test("back near the beginning are whole, not what is left before them", async () => {
    const [, second] = await walk({}, { limit: 4 });
    // One row into the list, by a cursor of another page size.
    const shifted = await reader.jobs({}, { limit: 1 });
    const from = await reader.jobs({}, { limit: 4, cursor: String(shifted.next) });
    expect(ids(await reader.jobs({}, { limit: 4, cursor: String(from.previous) }))).toEqual(
      added.toReversed().slice(0, 4),
    );
    expect(second?.previous).not.toBeNull();
  });

  test("of an order by time are the same", async () => {
    const filter = { statuses: ["failed"] } as const;
    const pages = await walk(filter, { limit: 2, sort: "-finishedAt" });
    expect(pages.map((page) => page.jobs.length)).toEqual([2, 2]);
    expect(pages.flatMap(ids)).toEqual([9, 6, 3, 0].map((index) => added[index]));
    const back = await reader.jobs(filter, {
      limit: 2,
      sort: "-finishedAt",
      cursor: String(pages[1]?.previous),
    });
    expect(ids(back)).toEqual(ids(pages[0] as JobPage));
  });

  test("have what a list shows, and a preview where it is asked for", async () => {
    const [job] = (await reader.jobs({}, { limit: 1 })).jobs;
    expect(job).toMatchObject({
      id: added[10],
      status: "pending",
      groupKey: "g",
      batchId: null,
      fingerprint: null,
    });
    expect(job?.payloadPreview).toBeNull();
    const [shown] = (await reader.jobs({}, { limit: 1, preview: true })).jobs;
    expect(JSON.parse(String(shown?.payloadPreview))).toEqual({ count: 10, secret: "yes" });
  });

  test("can be asked for by what payloads contain", async () => {
    expect(ids(await reader.jobs({ payload: { count: 7 } }))).toEqual([added[7]]);
  });

  test("past the end lead back to the last ones", async () => {
    const pages = await walk({ owner: "owner 1" }, { limit: 4 });
    const last = pages.at(-1)?.jobs.at(-1)?.id;
    await db.query("delete from lockstep.jobs where id = $1", [last]);
    const cursor = pages[0]?.next ?? "";
    const behind = await reader.jobs({ owner: "owner 1" }, { limit: 4, cursor });
    expect(behind.jobs).toHaveLength(0);
    const back = await reader.jobs({ owner: "owner 1" }, { limit: 4, cursor: String(behind.previous) });
    expect(ids(back)).toEqual(ids(pages[0] as JobPage));
  });
});

test("errors by kind lead to the jobs that failed so", async () => {
  const [kind, ...others] = await reader.errors({ pipeline: "orders", since: noon });
  expect(others).toEqual([]);
  expect(kind).toMatchObject({
    pipeline: "orders",
    stage: "read",
    message: "broken",
    jobs: 4,
    capped: false,
    sampleId: added[9],
  });
  expect(ids(await reader.jobs({ error: String(kind?.fingerprint) }))).toEqual(
    [9, 6, 3, 0].map((index) => added[index]),
  );
  await expect(reader.errors({ stage: "read" })).rejects.toThrow(/needs its pipeline/);
  await expect(reader.errors({ pipelin: "orders" } as never)).rejects.toThrow(/Did you mean "pipeline"/);
});

test("the history of errors tells when jobs failed with each kind", async () => {
  const [kind] = await reader.errors({ pipeline: "orders" });
  const time = { from: secondsAfter(noon, -60), to: secondsAfter(noon, 120), stepMs: 60_000 };
  const fingerprint = String(kind?.fingerprint);
  const whole = { fingerprint, beginsAt: time.from, jobs: [0, 4, 0] };
  expect(await reader.errorHistory(time)).toEqual([whole]);
  expect(await reader.errorHistory({ ...time, pipeline: "orders", fingerprint })).toEqual([whole]);
  expect(await reader.errorHistory({ ...time, fingerprint: "another" })).toEqual([]);
  await expect(reader.errorHistory({ fingerprints: [] } as never)).rejects.toThrow(
    /Did you mean "fingerprint"/,
  );
});

test("the health of the database comes with how far its clock is from ours", async () => {
  const { clockAheadMs, ...health } = await reader.databaseHealth();
  // Both are this machine's.
  expect(Math.abs(clockAheadMs)).toBeLessThan(30_000);
  expect(health).toMatchObject({ deadRows: expect.any(Number), liveRows: expect.any(Number) });
});

test("what was recovered and what retention keeps come as numbers and times", async () => {
  expect(await reader.recoveredJobs()).toEqual({ recovered: 0, failed: 0 });
  const kept = {
    since: expect.any(Date),
    ageMs: expect.any(Number),
    estimatedRows: expect.any(Number),
    heldTables: 0,
  };
  expect(await reader.retention()).toEqual({
    ranMs: null,
    completed: kept,
    unsuccessful: kept,
    events: kept,
    streams: kept,
  });
});

test("rows say where jobs on a screen stand", async () => {
  const rows = await reader.rows([String(added[0]), String(added[2])]);
  expect(new Map(rows.map(({ id, status, owner }) => [id, { status, owner }]))).toEqual(
    new Map([
      [added[0], { status: "failed", owner: "owner 0" }],
      [added[2], { status: "pending", owner: "owner 0" }],
    ]),
  );
});

test("a job can be read without what is large in it", async () => {
  const job = await reader.job(String(added[0]), { full: false });
  expect(job).toMatchObject({
    payload: { count: 0 },
    payloadBytes: 29,
    leftOut: [],
    fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
});

describe("a count", () => {
  test("says whether it is exact", async () => {
    expect(await reader.count({ statuses: ["failed"] })).toEqual({ value: 4, exact: true, capped: false });
  });
});

describe("a page is refused", () => {
  test.each([
    [{}, { limit: 0 }, /limit must be/],
    [{}, { limit: 201 }, /limit must be/],
    [{}, { sort: "-finishedat" }, /Did you mean "-finishedAt"\?/],
    [{}, { size: 7 }, /Unknown option "size"/],
    [{ stat: ["failed"] }, {}, /Unknown name "stat"/],
    [{}, { cursor: "x" }, /no cursor/],
    [{}, { sort: "-finishedAt" }, /cannot be sorted by "-finishedAt"/],
    [{ pipeline: "orders", stage: "raed" }, {}, /no stage "raed"/],
  ])("for %j, %j", async (filter, options, message) => {
    await expect(reader.jobs(filter as JobFilter, options as PageOptions)).rejects.toThrow(message);
  });
});
