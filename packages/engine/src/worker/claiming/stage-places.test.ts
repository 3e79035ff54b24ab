import { randomUUID } from "node:crypto";
import { encodedJob, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { Database } from "../../store/connections/database.ts";
import { Stores } from "../../store/stores.ts";
import type { Claim, Settlement } from "../../store/working/claim.ts";
import type { StageLook } from "../../store/working/settle-and-claim.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { StagePlaces } from "./stage-places.ts";

const db = testDatabase();
const database = new Database({
  target: targetAt(db.url),
  connections: 2,
  transactionPooler: false,
  applicationName: "lockstep places test",
});
const stores = new Stores(database);
afterAll(() => database.close(systemClock));

let stageId = 0;
let workerId: string;
let places: StagePlaces;

beforeEach(async () => {
  await db.reset();
  const retry = { kind: "constant", baseMs: 60_000, capMs: 60_000, jitter: 0 };
  const stage = { name: "read", maxAttempts: 3, maxLosses: 3, timeoutMs: null, retry };
  const options = { version: 1, events: false };
  const ids = await stores.pipelines.define([{ name: "orders", stages: [stage], options }]);
  stageId = Number(ids.orders?.read);
  workerId = randomUUID();
  const stages = ["orders/read"];
  await stores.workers.register({
    workerId,
    name: "w",
    leaseMs: 30_000,
    stages,
    host: "h",
    pid: 1,
    version: "1",
  });
  places = new StagePlaces();
});

async function aJob(job: object = {}): Promise<string> {
  const [added] = await stores.adding.add([encodedJob({ pipeline: "orders", ...job })], false);
  return String(added?.id);
}

/** One look of the worker, as its scheduler makes it at this time. */
async function look(room: number, nowMs: number, settlements: Settlement[] = []): Promise<Claim[]> {
  const request = { ...places.request(stageId, room, nowMs), keep: 0 };
  const { claims, looks } = await stores.claims.settleAndClaim(workerId, settlements, [request]);
  for (const claim of claims) places.claimed(claim);
  // The time that this machine takes for a look is not the test's subject.
  for (const seen of looks) places.looked({ ...seen, scanMs: seen.scanMs === null ? null : 10 }, nowMs);
  return [...claims];
}

async function found(room: number, nowMs: number, settlements: Settlement[] = []): Promise<string[]> {
  return (await look(room, nowMs, settlements)).map(({ jobId }) => jobId);
}

function ended(
  claim: Claim | undefined,
  outcome: Settlement["outcome"],
  delayMs: number | null = null,
): Settlement {
  const { jobId, token } = claim ?? { jobId: "", token: "" };
  return { jobId, token, outcome, value: null, delayMs, timedOut: false, keepIn: null, log: null };
}

const scan = (nowMs: number) => places.request(stageId, 1, nowMs).scan;

describe("how it looks", () => {
  const seen: StageLook = { stageId: 1, isShort: false, scanMs: 10, nextDueMs: null, promotedUpTo: null };

  test("the first look is from the start", () => {
    expect(scan(0)).toBe(2);
  });

  test("after a look from the start it goes on from its place, looks from the start when short, and again after half a second", () => {
    places.looked(seen, 0);
    expect([scan(199), scan(200), scan(499), scan(500)]).toEqual([0, 1, 1, 2]);
  });

  test("after a look that came back short the next begins at the start, for a full one from the place", () => {
    places.looked({ ...seen, isShort: true }, 0);
    expect([scan(200), scan(200)]).toEqual([2, 1]);
    places.looked({ ...seen, isShort: true }, 0);
    expect(scan(199)).toBe(0);
  });

  test("a look from the start that was dear comes seldom: a twentieth of the time at most", () => {
    places.looked({ ...seen, scanMs: 100 }, 0);
    expect([scan(500), scan(1_999), scan(2_000)]).toEqual([0, 0, 2]);
  });

  test("one look that was held up makes the next no later, and a very dear one puts it off for five seconds at most", () => {
    places.looked({ ...seen, scanMs: 10 }, 0);
    places.looked({ ...seen, scanMs: 60_000 }, 1_000);
    expect([scan(1_199), scan(1_200)]).toEqual([0, 1]);
    places.looked({ ...seen, scanMs: 60_000 }, 2_000);
    expect([scan(6_999), scan(7_000)]).toEqual([0, 2]);
  });

  test("what was due is not looked through again, but for the look from the start", () => {
    const promotedUpTo = "2026-01-02T03:04:05.678901+00:00";
    places.looked({ ...seen, promotedUpTo }, 0);
    expect(places.request(stageId, 1, 100).dueAfter).toEqual(promotedUpTo);
    places.looked({ ...seen, promotedUpTo: null }, 0);
    expect(places.request(stageId, 1, 100).dueAfter).toEqual(promotedUpTo);
    expect(places.request(stageId, 1, 500).dueAfter).toBeNull();
  });
});

describe("on a real queue, from the place on,", () => {
  beforeEach(async () => {
    await aJob();
    expect(await found(1, 0)).toHaveLength(1);
    expect(scan(100)).toBe(0);
  });

  test("new jobs are found in their order", async () => {
    const jobs = [await aJob(), await aJob(), await aJob()];
    expect(await found(2, 100)).toEqual(jobs.slice(0, 2));
    expect(await found(2, 100)).toEqual(jobs.slice(2));
  });

  test("a job with a lower priority number that comes later is found first", async () => {
    const late = await aJob();
    const urgent = await aJob({ priority: 1 });
    expect(await found(1, 100)).toEqual([urgent]);
    expect(await found(1, 100)).toEqual([late]);
  });

  test("a job that was given back is found", async () => {
    const id = await aJob();
    const [claim] = await look(1, 100);
    expect(await found(1, 100, [ended(claim, "release")])).toEqual([id]);
  });

  test("a retry is found when it is due", async () => {
    const id = await aJob();
    const [claim] = await look(1, 100);
    expect(await found(1, 100, [ended(claim, "retry", 60_000)])).toEqual([]);
    await db.query("update lockstep.jobs set scheduled_for = clock_timestamp() where id = $1", [id]);
    expect(await found(1, 100)).toEqual([id]);
  });

  test("a scheduled job is found when it is due", async () => {
    const id = await aJob({ scheduledFor: new Date(Date.now() + 60_000) });
    expect(await found(1, 100)).toEqual([]);
    await db.query("update lockstep.jobs set scheduled_for = clock_timestamp() where id = $1", [id]);
    expect(await found(1, 100)).toEqual([id]);
  });

  test("a cancelled job leaves its neighbours where they were", async () => {
    const [first, second, third] = [await aJob(), await aJob(), await aJob()];
    await stores.steering.cancel(second, null);
    expect(await found(5, 100)).toEqual([first, third]);
  });

  test("a job that was retried by a person is found", async () => {
    const id = await aJob();
    await stores.steering.cancel(id, null);
    expect(await found(1, 100)).toEqual([]);
    await stores.steering.retry(id, null, null);
    expect(await found(1, 100)).toEqual([id]);
  });

  test("the jobs of a paused stage are found when it is resumed", async () => {
    await stores.steering.pause("orders", "read");
    const id = await aJob();
    expect(await found(1, 100)).toEqual([]);
    await stores.steering.resume("orders", "read");
    expect(await found(1, 100)).toEqual([id]);
  });
});

describe("a job that is committed late, behind the place,", () => {
  let late: string;
  let commit: () => Promise<unknown>;

  beforeEach(async () => {
    const other = await db.connect();
    await other.query("begin");
    const { rows } = await other.query<{ id: string }>(
      "select id from lockstep.add_job(p_pipeline => 'orders', p_payload => '1')",
    );
    late = String(rows[0]?.id);
    commit = () => other.query("commit");
    await aJob();
    expect(await found(1, 0)).toHaveLength(1);
  });

  test("is found by the next look that comes back short", async () => {
    await commit();
    expect(await found(1, 100)).toEqual([]);
    expect(await found(1, 200)).toEqual([late]);
  });

  test("is found within half a second by a worker that always finds enough", async () => {
    await commit();
    const others = [await aJob(), await aJob(), await aJob()];
    expect([await found(1, 100), await found(1, 200), await found(1, 499)].flat()).toEqual(others);
    await aJob();
    expect(await found(1, 500)).toEqual([late]);
  });
});
