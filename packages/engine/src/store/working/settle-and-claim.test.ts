import { randomUUID } from "node:crypto";
import { encodedJob, JobFactory, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { Database } from "../connections/database.ts";
import { Stores } from "../stores.ts";
import type { Claim, Settlement, StageRequest } from "./claim.ts";
import { endsAsJson, settleAndClaim } from "./settle-and-claim.ts";

const db = testDatabase();
const database = new Database({
  target: targetAt(db.url),
  connections: 2,
  transactionPooler: false,
  applicationName: "lockstep exchange test",
});
const stores = new Stores(database);
afterAll(() => database.close(systemClock));

let [read, send] = [0, 0];
let workerId: string;

beforeEach(async () => {
  await db.reset();
  const retry = { kind: "constant", baseMs: 60_000, capMs: 60_000, jitter: 0 };
  const stage = { maxAttempts: 3, maxLosses: 3, timeoutMs: null, retry };
  const stages = [
    { name: "read", ...stage },
    { name: "send", ...stage },
  ];
  const options = { version: 1, events: false };
  const ids = await stores.pipelines.define([{ name: "orders", stages, options }]);
  [read, send] = [Number(ids.orders?.read), Number(ids.orders?.send)];
  workerId = await aWorker();
});

async function aWorker(): Promise<string> {
  const id = randomUUID();
  const rest = {
    name: "w",
    leaseMs: 30_000,
    stages: ["orders/read", "orders/send"],
    host: "h",
    pid: 1,
    version: "1",
  };
  await stores.workers.register({ workerId: id, ...rest });
  return id;
}

async function aJob(job: object = {}): Promise<string> {
  const [added] = await stores.adding.add(
    [encodedJob({ pipeline: "orders", payload: { n: 1 }, ...job })],
    false,
  );
  return String(added?.id);
}

function request(stageId: number, room: number, rest: Partial<StageRequest> = {}): StageRequest {
  return { stageId, room, keep: 0, places: new Array(20).fill(0), scan: 2, dueAfter: null, ...rest };
}

function ended({ jobId, token }: Claim, rest: Partial<Settlement> = {}): Settlement {
  const plain = {
    outcome: "done",
    value: null,
    delayMs: null,
    timedOut: false,
    keepIn: null,
    log: null,
  } as const;
  return { jobId, token, ...plain, ...rest };
}

async function claim(room = 1, stageId = read): Promise<Claim[]> {
  return [...(await settleAndClaim(database, workerId, [], [request(stageId, room)])).claims];
}

async function claimOne(stageId = read): Promise<Claim> {
  const [first] = await claim(1, stageId);
  if (first === undefined) throw new Error("Nothing was there to be claimed.");
  return first;
}

describe("claims", () => {
  test("carry all that an attempt needs", async () => {
    const id = await aJob({ priority: 4, owner: "ada", tags: ["a"], payload: { deep: [1, null] } });
    expect(await claim()).toEqual([
      {
        jobId: id,
        stageId: read,
        token: expect.stringMatching(/^[0-9a-f-]{36}$/),
        attempt: 1,
        priority: 4,
        position: expect.any(Number),
        owner: "ada",
        tags: ["a"],
        payload: { deep: [1, null] },
        outputs: {},
        more: null,
      },
    ]);
  });

  test("say the priority that a job has unless told, and the attempt, also when it is not the first", async () => {
    await aJob();
    const first = await claimOne();
    expect(first).toMatchObject({ priority: 10, attempt: 1 });
    const error = '{"name":"Error","message":"oh"}';
    const retry = ended(first, { outcome: "retry", value: error, delayMs: 0 });
    await settleAndClaim(database, workerId, [retry], []);
    expect(await claimOne()).toMatchObject({ jobId: first.jobId, priority: 10, attempt: 2 });
  });

  test("come by priority, then in the order in which the jobs came", async () => {
    const [late, first, second] = [
      await aJob({ priority: 9 }),
      await aJob({ priority: 2 }),
      await aJob({ priority: 2 }),
    ];
    expect((await claim(5)).map(({ jobId }) => jobId)).toEqual([first, second, late]);
  });

  test("of a later stage carry the outputs by stage name", async () => {
    await aJob();
    await settleAndClaim(database, workerId, [ended(await claimOne(), { value: '{"lines":3}' })], []);
    expect((await claimOne(send)).outputs).toEqual({ read: { lines: 3 } });
  });

  test("stay within the room of each stage", async () => {
    for (let job = 0; job < 4; job += 1) await aJob();
    expect(await claim(3)).toHaveLength(3);
  });

  test("past 2 to the 33rd position are read exactly", async () => {
    await db.query("select setval('lockstep.job_positions', 8589934592)");
    await aJob();
    expect((await claimOne()).position).toBe(8_589_934_593);
  });
});

describe("a look", () => {
  test("tells how long a look from the start took, and when the next job is due", async () => {
    await aJob({ scheduledFor: new Date(Date.now() + 60_000) });
    const { looks, claims } = await settleAndClaim(database, workerId, [], [request(read, 1)]);
    expect(claims).toEqual([]);
    expect(looks).toEqual([
      {
        stageId: read,
        isShort: true,
        scanMs: expect.any(Number),
        nextDueMs: expect.any(Number),
        promotedUpTo: expect.any(String),
      },
    ]);
    expect(looks[0]?.nextDueMs).toBeGreaterThan(50_000);
    expect(Math.abs(Date.now() - Date.parse(looks[0]?.promotedUpTo ?? ""))).toBeLessThan(10_000);
  });

  test("from the place on has no scan to tell of", async () => {
    const { looks } = await settleAndClaim(database, workerId, [], [request(read, 1, { scan: 0 })]);
    expect(looks).toMatchObject([{ scanMs: null, nextDueMs: null }]);
  });

  test("that brings many jobs tells whether others claim from the same line", async () => {
    const p_jobs = Array.from({ length: 301 }, () => ({ pipeline: "orders", payload: null }));
    await db.call("add_jobs", { p_jobs });
    const alone = await settleAndClaim(database, workerId, [], [request(read, 100)]);
    await settleAndClaim(
      database,
      await new JobFactory(db).aWorker({ at: new Date() }),
      [],
      [request(read, 1)],
    );
    const shared = await settleAndClaim(database, workerId, [], [request(read, 100)]);
    expect([alone.isShared, shared.isShared, shared.claims.length]).toEqual([false, true, 100]);
  });

  test("of a worker whose lease is over finds that out", async () => {
    await aJob();
    await db.timePasses(31_000);
    const { isLost, claims } = await settleAndClaim(database, workerId, [], [request(read, 1)]);
    expect([isLost, claims]).toEqual([true, []]);
  });

  test("by a busy worker finds that a job waits which must run alone", async () => {
    await aJob();
    await claimOne();
    const suspect = await aJob();
    await db.query("update lockstep.jobs set suspect = true, losses = 2 where id = $1", [suspect]);
    const { mustRunDry, claims } = await settleAndClaim(database, workerId, [], [request(read, 1)]);
    expect([mustRunDry, claims]).toEqual([true, []]);
  });
});

describe("settling", () => {
  test("a plain done is not told; everything else is, with the status it led to", async () => {
    const [done, failed, snoozed, released] = [await aJob(), await aJob(), await aJob(), await aJob()];
    const claims = await claim(4);
    const outcomes: Partial<Settlement>[] = [
      { value: '"x"' },
      { outcome: "retry", value: '{"name":"Error","message":"oh"}' },
      { outcome: "snooze", delayMs: 60_000 },
      { outcome: "release" },
    ];
    const { settled } = await settleAndClaim(
      database,
      workerId,
      claims.map((one, index) => ended(one, outcomes[index])),
      [],
    );
    const told = new Map(settled.map(({ jobId, answer, status }) => [jobId, [answer, status]]));
    expect(told).toEqual(
      new Map([
        [failed, ["applied", "retrying"]],
        [snoozed, ["applied", "scheduled"]],
        [released, ["applied", "pending"]],
      ]),
    );
    expect(await stores.jobs.get(done)).toMatchObject({ stage: "send", status: "pending" });
  });

  test("sent again it is recognised, and without the claim it is refused", async () => {
    await aJob();
    const settlement = ended(await claimOne());
    await settleAndClaim(database, workerId, [settlement], []);
    const { settled } = await settleAndClaim(database, workerId, [settlement], []);
    expect(settled).toEqual([
      { jobId: settlement.jobId, answer: "already_applied", status: null, keptUnder: null },
    ]);
    const stale = await settleAndClaim(database, workerId, [{ ...settlement, token: randomUUID() }], []);
    expect(stale.settled).toMatchObject([{ answer: "lease_lost" }]);
  });

  test("a job that is kept for its next stage is told with its new token, and settles under it", async () => {
    const id = await aJob();
    const first = await claimOne();
    const { settled, claims } = await settleAndClaim(
      database,
      workerId,
      [ended(first, { value: "1", keepIn: send })],
      [request(send, 1)],
    );
    expect(claims).toEqual([]);
    expect(settled).toMatchObject([{ jobId: id, status: "processing" }]);
    const token = String(settled[0]?.keptUnder);
    expect(token).not.toBe(first.token);
    await settleAndClaim(database, workerId, [ended({ ...first, token })], []);
    expect(await stores.jobs.get(id)).toMatchObject({ status: "completed", outputs: { read: 1 } });
  });

  test("ends and claims go in one call", async () => {
    await aJob();
    const first = await claimOne();
    const next = await aJob();
    const { claims } = await settleAndClaim(database, workerId, [ended(first)], [request(read, 5)]);
    expect(claims.map(({ jobId }) => jobId)).toEqual([next]);
  });

  test("the log is kept with its attempt", async () => {
    const id = await aJob();
    const log = '[{"at":"2026-05-01T08:00:00.000Z","level":"info","message":"read it"}]';
    await settleAndClaim(database, workerId, [ended(await claimOne(), { log })], []);
    expect((await stores.jobs.get(id))?.attempts[0]?.log).toEqual([
      { at: new Date("2026-05-01T08:00:00Z"), level: "info", message: "read it" },
    ]);
  });
});

test("ends as JSON leave out what is not there, and are nothing at all when every job is plainly done", () => {
  const [plain, full] = [ended({ jobId: "a", token: "t" } as Claim), { jobId: "b", token: "u" } as Claim];
  const rest = {
    outcome: "retry",
    value: '{"m":1}',
    delayMs: 5,
    timedOut: true,
    keepIn: 7,
    log: "[1]",
  } as const;
  expect(JSON.parse(String(endsAsJson([plain, ended(full, rest)])))).toEqual([
    {},
    { outcome: "retry", value: { m: 1 }, delayMs: 5, timedOut: true, keepIn: 7, log: [1] },
  ]);
  expect(endsAsJson([plain, plain])).toBeNull();
});
