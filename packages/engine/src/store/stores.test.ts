import { randomUUID } from "node:crypto";
import { encodedJob, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { targetAt } from "../test-support/target-at.ts";
import type { AddingStore } from "./adding/adding-store.ts";
import type { StageRegistration } from "./calls/expectation.ts";
import { Database } from "./connections/database.ts";
import { RefusedError } from "./connections/database-error.ts";
import type { ListFilter } from "./reading/list-store.ts";
import { Stores } from "./stores.ts";
import type { Claim, Settlement } from "./working/claim.ts";

const db = testDatabase();
const database = new Database({
  target: targetAt(db.url),
  connections: 2,
  transactionPooler: false,
  applicationName: "lockstep store test",
});
const stores = new Stores(database);
afterAll(() => database.close(systemClock));

const options = { version: 1, events: false };
const nobody = "0190b0a0-0000-7000-8000-000000000000";
let stageIds: Map<string, number>;
let workerId: string;

beforeEach(async () => {
  await db.reset();
  const stages = [aStage("read"), aStage("send")];
  const ids = await stores.pipelines.define([{ name: "orders", stages, options }]);
  stageIds = new Map(Object.entries(ids.orders ?? {}));
  workerId = await aWorker("first");
});

function aStage(name: string): StageRegistration {
  const retry = { kind: "exponential", baseMs: 1_000, capMs: 60_000, jitter: 0 };
  return { name, maxAttempts: 3, maxLosses: 3, timeoutMs: 5_000, retry };
}

async function aWorker(name: string, leaseMs = 30_000): Promise<string> {
  const id = randomUUID();
  const stages = ["orders/read", "orders/send"];
  await stores.workers.register({
    workerId: id,
    name,
    leaseMs,
    stages,
    host: "here",
    pid: 7,
    version: "0.1",
  });
  return id;
}

async function aJob(job: object = {}): Promise<string> {
  const [added] = await stores.adding.add(
    [encodedJob({ pipeline: "orders", payload: { n: 1 }, ...job })],
    false,
  );
  return String(added?.id);
}

async function claimed(stage = "read"): Promise<Claim> {
  const request = {
    stageId: Number(stageIds.get(stage)),
    room: 1,
    keep: 0,
    places: new Array(20).fill(0),
    dueAfter: null,
  };
  const { claims } = await stores.claims.settleAndClaim(workerId, [], [{ ...request, scan: 2 }]);
  const [claim] = claims;
  if (claim === undefined) throw new Error("Nothing was there to be claimed.");
  return claim;
}

function settle({ jobId, token }: Claim, how: Partial<Settlement>) {
  const settlement = {
    outcome: "done",
    value: null,
    delayMs: null,
    timedOut: false,
    keepIn: null,
    log: null,
  } as const;
  return stores.claims.settleAndClaim(workerId, [{ jobId, token, ...settlement, ...how }], []);
}

describe("adding and reading", () => {
  test("a job is read back with everything it was added with", async () => {
    const id = await aJob({ priority: 3, owner: "ada", dedupKey: "k", tags: ["a"] });
    expect(await stores.jobs.get(id)).toMatchObject({
      id,
      pipeline: "orders",
      stage: "read",
      status: "pending",
      payload: { n: 1 },
      priority: 3,
      owner: "ada",
      dedupKey: "k",
      tags: ["a"],
      attempt: 0,
      losses: 0,
      outputs: {},
      result: null,
      attempts: [],
      addedAt: expect.any(Date),
    });
    expect(await stores.jobs.get(nobody)).toBeNull();
  });

  test("the list is filtered and paged, newest first", async () => {
    const first = await aJob({ owner: "ada", tags: ["red"], id: "0190b0a0-0000-7000-8000-000000000001" });
    const second = await aJob({ owner: "ben", tags: ["red"], id: "0190b0a0-0000-7000-8000-000000000002" });
    await stores.steering.cancel(second, null);
    const ids = async (filter: ListFilter) => (await stores.lists.newest(filter)).map(({ id }) => id);
    expect(await ids({})).toEqual([second, first]);
    expect(await ids({ owner: "ada" })).toEqual([first]);
    expect(await ids({ tag: "red", status: "cancelled" })).toEqual([second]);
    expect(await ids({ pipeline: "orders", stage: "read", status: "pending" })).toEqual([first]);
    expect(await ids({ limit: 1 })).toEqual([second]);
    expect(await ids({ before: second })).toEqual([first]);
    await expect(stores.lists.newest({ limit: 1_000 })).rejects.toThrow(RefusedError);
  });

  test("finished jobs are told with their result or error, others not at all", async () => {
    const [done, failed, cancelled, live] = [
      await aJob(),
      await aJob(),
      await aJob(),
      await aJob({ priority: 20 }),
    ];
    await settle(await claimed(), { value: '"read"' });
    await settle(await claimed("send"), { value: '{"ok":true}' });
    await settle(await claimed(), { outcome: "give_up", value: '{"name":"Error","message":"oh"}' });
    await stores.steering.cancel(cancelled, null);
    const results = await stores.jobs.finishedResults([done, failed, cancelled, live, nobody]);
    expect(new Map(results.map(({ id, ...rest }) => [id, rest]))).toEqual(
      new Map<string, object>([
        [done, { status: "completed", result: { ok: true }, error: null }],
        [failed, { status: "failed", result: null, error: { name: "Error", message: "oh" } }],
        [cancelled, { status: "cancelled", result: null, error: null }],
      ]),
    );
  });

  test("counts are numbers, one for each stage and status", async () => {
    await aJob();
    await aJob();
    await claimed();
    const stats = await stores.queue.stats();
    expect(stats.filter(({ jobs }) => jobs > 0)).toEqual([
      { pipeline: "orders", stage: "read", status: "pending", jobs: 1, paused: false },
      { pipeline: "orders", stage: "read", status: "processing", jobs: 1, paused: false },
    ]);
  });

  test("explain says why in sentences and numbers, and instants are dates", async () => {
    expect(await stores.jobs.explain(await aJob())).toMatchObject([
      {
        reason: "waiting",
        explanation: expect.stringContaining("Jobs ahead of it in stage read: 0."),
        detail: { ahead: 0, startsAt: null },
      },
    ]);
    const { jobId } = await claimed();
    expect(await stores.jobs.explain(jobId)).toMatchObject([
      { reason: "processing", detail: { claimedAt: expect.any(Date), runningMs: expect.any(Number) } },
    ]);
    expect(await stores.jobs.explain(nobody)).toMatchObject([{ reason: "not_found" }]);
  });

  test("history, totals and waits count what happened to the jobs", async () => {
    await aJob();
    await aJob();
    await claimed();
    const history = await stores.queue.history("orders", { stage: "read", stepMs: 3_600_000 });
    const sum = (name: "entered" | "started") => history.reduce((total, step) => total + step[name], 0);
    expect([sum("entered"), sum("started")]).toEqual([2, 1]);
    expect(history[0]).toMatchObject({ at: expect.any(Date), stage: "read", waitP50Ms: null });
    const [totals] = await stores.queue.stageTotals();
    expect(totals).toMatchObject({ pipeline: "orders", stage: "read", entered: 2, started: 1, completed: 0 });
    expect(totals?.waits).toHaveLength(30);
    const [waits] = await stores.queue.stageWaits();
    expect(waits).toMatchObject({ pipeline: "orders", stage: "read", overdueMs: null });
    expect(waits?.pendingMs).toBeGreaterThan(0);
  });

  test("verify finds nothing while all holds, and names what does not", async () => {
    await aJob();
    expect(await stores.schema.verify()).toEqual([]);
    await db.query("update lockstep.stage_moves set jobs = 5");
    expect(await stores.schema.verify()).toEqual([
      {
        invariant: expect.any(String),
        jobId: null,
        violation: expect.stringContaining("the counters say 5"),
      },
    ]);
  });
});

describe("steering", () => {
  test("a waiting job is cancelled at once, a running one is asked to stop", async () => {
    const id = await aJob();
    await claimed();
    expect(await stores.claims.cancelRequests(workerId)).toEqual([]);
    expect(await stores.steering.cancel(id, null)).toBe("cancel_requested");
    expect(await stores.claims.cancelRequests(workerId)).toEqual([id]);
    const waiting = await aJob();
    expect([
      await stores.steering.cancel(waiting, null),
      await stores.steering.cancel(waiting, null),
      await stores.steering.cancel(nobody, null),
    ]).toEqual(["cancelled", "already_finished", "not_found"]);
  });

  test("a retry is applied, refused or met by a twin", async () => {
    const id = await aJob({ dedupKey: "k" });
    expect(await stores.steering.retry(id, null, null)).toEqual({ answer: "not_finished", twinId: null });
    await stores.steering.cancel(id, null);
    const twinId = await aJob({ dedupKey: "k" });
    expect(await stores.steering.retry(id, null, null)).toEqual({ answer: "conflict", twinId });
    await stores.steering.cancel(twinId, null);
    await expect(stores.steering.retry(id, "nowhere", null)).rejects.toThrow(RefusedError);
    expect(await stores.steering.retry(id, "read", null)).toEqual({ answer: "applied", twinId: null });
    expect(await stores.steering.retry(nobody, null, null)).toEqual({ answer: "not_found", twinId: null });
  });

  test("a stage is paused and resumed, and each says whether that was news", async () => {
    const answers = [
      await stores.steering.pause("orders", "read"),
      await stores.steering.pause("orders", "read"),
    ];
    answers.push(
      await stores.steering.resume("orders", "read"),
      await stores.steering.resume("orders", "read"),
    );
    expect(answers).toEqual([true, false, true, false]);
    await expect(stores.steering.pause("orders", "none")).rejects.toThrow(RefusedError);
  });

  test("progress is written while the claim is held; those that are not are told", async () => {
    const id = await aJob();
    await aJob();
    const [held, lost] = [await claimed(), { ...(await claimed()), token: randomUUID() }];
    const report = { percent: 30, note: "at it", data: { of: 3 } };
    expect(
      await stores.claims.reportProgress([
        { claim: held, ...report, log: null },
        { claim: lost, ...report, log: null },
      ]),
    ).toEqual([lost.jobId]);
    expect((await stores.jobs.get(id))?.progress).toEqual(report);
  });

  test("the log of a running attempt is shown, and its progress stays", async () => {
    const id = await aJob();
    const claim = await claimed();
    const report = { percent: 30, note: "at it", data: { of: 3 } };
    await stores.claims.reportProgress([{ claim, ...report, log: null }]);
    const line = { at: new Date("2026-05-01T08:00:00Z"), level: "info", message: "one" };
    const nothing = { percent: null, note: null, data: null };
    await stores.claims.reportProgress([{ claim, ...nothing, log: JSON.stringify([line]) }]);
    await stores.claims.reportProgress([{ claim, ...nothing, log: null }]);
    const job = await stores.jobs.get(id);
    expect(job?.progress).toEqual(report);
    expect(job?.attempts).toMatchObject([{ outcome: "processing", log: [line] }]);
  });
});

describe("workers", () => {
  test("one is registered together with the question whether its pipelines are known, or not at all", async () => {
    const id = randomUUID();
    const stages = ["orders/read"];
    const worker = { workerId: id, name: "w", leaseMs: 30_000, stages, host: "h", pid: 1, version: "1" };
    const [{ version }] = (await db.query("select lockstep.schema_version() as version")) as [
      { version: number },
    ];
    const orders = { name: "orders", stages: [aStage("read"), aStage("send")], options };
    const rows = () => db.query("select name, stage_ids from lockstep.workers where id = $1", [id]);
    const changed = { ...orders, stages: [aStage("read")] };
    const registered = (pipeline: typeof orders, schemaVersion = version) =>
      stores.workers.registerIfKnown(worker, { schemaVersion, pipelines: [pipeline] });
    expect(await registered(changed)).toBeNull();
    expect(await registered(orders, version + 1)).toBeNull();
    expect(await rows()).toEqual([]);
    expect(await registered(orders)).toEqual({ orders: Object.fromEntries(stageIds) });
    // The reply may have been lost.
    expect(await registered(orders)).not.toBeNull();
    expect(await rows()).toEqual([{ name: "w", stage_ids: [stageIds.get("read")] }]);
  });

  test("are listed with what they said of themselves", async () => {
    await aJob();
    await claimed();
    expect(await stores.queue.workers()).toEqual([
      {
        workerId,
        name: "first",
        host: "here",
        pid: 7,
        version: "0.1",
        isAlive: true,
        startedAt: expect.any(Date),
        heartbeatAt: expect.any(Date),
        leaseUntil: expect.any(Date),
        stages: ["orders/read", "orders/send"],
        activeJobs: 1,
        oldestJobAt: expect.any(Date),
        newestJobAt: expect.any(Date),
        report: null,
      },
    ]);
  });

  test("that sleep are woken by an add for their stages", async () => {
    const listener = await db.connect();
    const heard = new Promise((resolve) => listener.once("notification", resolve));
    await listener.query(`listen "lockstep_${workerId.replaceAll("-", "")}"`);
    await stores.workers.waitForJobs(workerId, [Number(stageIds.get("read"))]);
    await aJob();
    await heard;
  });

  test("that are lost lose their jobs to the sweep, once", async () => {
    await aJob();
    await claimed();
    await db.timePasses(31_000);
    const intervals = { sweepMs: 1, cancelGraceMs: 30_000, foldMs: 15_000, retentionMs: 3_600_000 };
    expect(await stores.upkeep.upkeep(workerId, intervals)).toEqual({
      hasSwept: true,
      lostJobs: 1,
      failedJobs: 0,
      expiredJobs: 0,
      isFoldDue: true,
      isRetentionDue: true,
      areWaitsDue: false,
      workers: 0,
      sleepers: 0,
    });
    expect(await stores.upkeep.resetStalled()).toBe(0);
  });

  test("without room pass their wake-ups on", async () => {
    const stageId = Number(stageIds.get("read"));
    await stores.workers.waitForJobs(workerId, [stageId]);
    await stores.workers.passOnWakeUp(workerId, [stageId]);
    expect(await db.query("select waiting_stage_ids as ids from lockstep.workers")).toEqual([{ ids: [] }]);
  });

  test("that leave are gone from the list", async () => {
    await stores.workers.deregister(workerId);
    expect(await stores.queue.workers()).toEqual([]);
  });
});

test("upkeep folds the counters and leaves what is to be kept", async () => {
  const id = await aJob();
  await stores.steering.cancel(id, null);
  await stores.upkeep.foldCounters(0);
  expect(await stores.upkeep.deleteFinished(7, 30, 3, 0)).toBe(0);
  expect(await stores.upkeep.dropOldTable(7, 30, 3, "")).toBeNull();
  expect(await stores.upkeep.deleteRecentKeys(0)).toBe(0);
  expect(await db.query("select from lockstep.stage_moves")).toEqual([]);
  expect(await stores.jobs.get(id)).toMatchObject({ status: "cancelled" });
});

test("many chunks are added together or not at all", async () => {
  const good = () => encodedJob({ pipeline: "orders" });
  const bad = encodedJob({ pipeline: "none" });
  await expect(stores.adding.addInChunks(3, () => [[good(), good()], [bad]], false)).rejects.toThrow(
    RefusedError,
  );
  expect(await stores.lists.newest({})).toEqual([]);
  expect(await stores.adding.addInChunks(3, () => [[good(), good()], [good()]], false)).toHaveLength(3);
});

test("a chunk that cannot be made takes back those before it", async () => {
  function* chunks() {
    yield [encodedJob({ pipeline: "orders" })];
    throw new Error("not made");
  }
  await expect(stores.adding.addInChunks(2, chunks, false)).rejects.toThrow("not made");
  expect(await stores.lists.newest({})).toEqual([]);
});

test("chunks that have fewer jobs than were to be added add none", async () => {
  const one = encodedJob({ pipeline: "orders" });
  await expect(stores.adding.addInChunks(2, () => [[one]], false)).rejects.toThrow(
    "2 jobs were to be added and 1 were answered for",
  );
  expect(await stores.lists.newest({})).toEqual([]);
});

test("an iterator, which a transaction that runs again would find spent, is no chunks by type", () => {
  function* chunks() {
    yield [encodedJob({ pipeline: "orders" })];
  }
  // @ts-expect-error
  const refused: Parameters<AddingStore["addInChunks"]>[1] = chunks();
  const taken: Parameters<AddingStore["addInChunks"]>[1] = chunks;
  expect([...taken()].length).toBe(1);
  expect(typeof refused).not.toBe("function");
});
