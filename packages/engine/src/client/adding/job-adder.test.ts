import { randomUUID } from "node:crypto";
import { codeSchemaVersion } from "@lockstep/database";
import { ManualClock, recordEvents, testDatabase, untilBlocked } from "@lockstep/test-support";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { EngineEvents } from "../../events/engine-events.ts";
import { AddOptionError } from "../../jobs/adding/add-options.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { InvalidPayloadError } from "../../jobs/values/json-value.ts";
import { Database } from "../../store/connections/database.ts";
import { DatabaseUnavailableError, RefusedError } from "../../store/connections/database-error.ts";
import { Stores } from "../../store/stores.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { JobAdder, type JobAdderParts } from "./job-adder.ts";

const db = testDatabase();
const orders = definePipeline("orders").stage("read", () => 1);
const unknown = definePipeline("unknown").stage("read", () => 1);
const database = new Database({
  target: targetAt(db.url),
  connections: 2,
  transactionPooler: false,
  applicationName: "lockstep adder test",
});
const stores = new Stores(database);
afterAll(() => database.close(systemClock));

beforeEach(async () => {
  await db.reset();
  await db.call("define_pipeline", { p_name: "orders", p_stages: [{ name: "read" }] });
});

/** An adder on the real store, whose calls are counted and whose replies may be lost. */
function anAdder(parts: Partial<JobAdderParts> = {}) {
  const clock = new ManualClock(new Date());
  const events = new EngineEvents();
  const calls: number[] = [];
  const faults: (() => void)[] = [];
  const sent = async <Answer>(jobs: number, send: () => Promise<Answer>) => {
    calls.push(jobs);
    const fault = faults.shift();
    const answer = await send();
    fault?.();
    return answer;
  };
  let looks = 0;
  const adder = new JobAdder({
    store: {
      add: (jobs, isResent, recognition) =>
        sent(jobs.length, () => stores.adding.add(jobs, isResent, recognition)),
      addInChunks: (count, chunks, isResent) =>
        sent(0, () => stores.adding.addInChunks(count, chunks, isResent)),
    },
    clock,
    events,
    ready: async () => {},
    recognition: () => undefined,
    onAdded: () => {
      looks += 1;
    },
    ...parts,
  });
  const loseReply = () => faults.push(connectionLost);
  return { adder, clock, calls, loseReply, told: recordEvents(events), looks: () => looks };
}

function connectionLost(): never {
  throw new DatabaseUnavailableError(new Error("Connection terminated unexpectedly"));
}

async function jobCount(): Promise<number> {
  const [row] = await db.query<{ count: number }>("select count(*)::integer as count from lockstep.jobs");
  return row?.count ?? 0;
}

describe("one add", () => {
  test("gives the id, that it is new, and its status", async () => {
    const { adder, told, looks } = anAdder();
    const added = await adder.add(orders, { n: 1 }, {});
    expect(added).toEqual({ id: expect.any(String), created: true, status: "pending" });
    expect(told.all("job.added")).toEqual([{ jobId: added.id, pipeline: "orders", created: true }]);
    expect(looks()).toBe(1);
    expect(await stores.jobs.get(added.id)).toMatchObject({ payload: { n: 1 }, status: "pending" });
  });

  test("with a dedup key that is taken gives the job that is there", async () => {
    const { adder } = anAdder();
    const first = await adder.add(orders, 1, { dedupKey: "k" });
    expect(await adder.add(orders, 2, { dedupKey: "k" })).toEqual({
      id: first.id,
      created: false,
      status: "pending",
    });
  });

  test("for later is scheduled", async () => {
    const { adder } = anAdder();
    expect(await adder.add(orders, 1, { scheduledFor: new Date(Date.now() + 60_000) })).toMatchObject({
      status: "scheduled",
    });
  });

  const unmet = { expected: { schemaVersion: 0, pipelines: [] }, onRecognized: () => {} };

  test("waits until the pipelines are known, and fails as that fails", async () => {
    const { adder } = anAdder({
      recognition: () => unmet,
      ready: () => Promise.reject(new Error("no schema")),
    });
    await expect(adder.add(orders, 1, {})).rejects.toThrow("no schema");
    await expect(adder.addMany(orders, [{ payload: 1 }])).rejects.toThrow("no schema");
    expect(await jobCount()).toBe(0);
  });

  test("is added once when the database learns of its pipeline first", async () => {
    let isReady = false;
    const { adder, calls } = anAdder({
      recognition: () => (isReady ? undefined : unmet),
      ready: async () => {
        isReady = true;
      },
    });
    expect(await adder.add(orders, 1, {})).toMatchObject({ created: true });
    expect(calls).toEqual([1, 1]);
    expect(await jobCount()).toBe(1);
  });
});

test("a first add whose reply was lost is there once, though the database is another one when it is sent again", async () => {
  let looks = 0;
  const expected = {
    get schemaVersion() {
      looks += 1;
      return looks === 1 ? codeSchemaVersion : 0;
    },
    pipelines: [],
  };
  const { adder, calls, loseReply } = anAdder({ recognition: () => ({ expected, onRecognized: () => {} }) });
  loseReply();
  expect(await adder.add(orders, 1, {})).toMatchObject({ created: true });
  expect(calls).toEqual([1, 1, 1]);
  expect(await jobCount()).toBe(1);
});

describe("gathering", () => {
  test("adds made in one turn travel in one insert, and each gets its own answer", async () => {
    const { adder, calls } = anAdder();
    const added = await Promise.all(Array.from({ length: 50 }, (_, n) => adder.add(orders, { n }, {})));
    expect(calls).toEqual([50]);
    expect(new Set(added.map(({ id }) => id)).size).toBe(50);
    for (const n of [0, 49])
      expect(await stores.jobs.get(String(added[n]?.id))).toMatchObject({ payload: { n } });
  });

  test("adds made while an insert is under way travel together in the next one", async () => {
    const { adder, calls } = anAdder();
    const first = adder.add(orders, "first", {});
    await expect.poll(() => calls.length, { interval: 1 }).toBe(1);
    const others = Array.from({ length: 20 }, (_, n) => adder.add(orders, n, {}));
    await Promise.all([first, ...others]);
    expect(calls).toEqual([1, 20]);
  });

  test("no insert carries more than a thousand", async () => {
    const { adder, calls } = anAdder();
    await Promise.all(Array.from({ length: 1_500 }, (_, n) => adder.add(orders, n, {})));
    expect(calls).toEqual([1_000, 500]);
    expect(await jobCount()).toBe(1_500);
  });

  test("a job that the database refuses does not touch the others of its insert", async () => {
    const { adder } = anAdder();
    const outcomes = await Promise.allSettled([
      adder.add(orders, "good", {}),
      adder.add(unknown, "bad", {}),
      adder.add(orders, "too far", { scheduledFor: new Date("9000-01-01") }),
      adder.add(orders, "good too", {}),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({
      reason: expect.objectContaining({
        name: "RefusedError",
        message: expect.stringContaining('no pipeline "unknown"'),
      }),
    });
    expect(outcomes[2]).toMatchObject({
      reason: expect.objectContaining({ name: "RefusedError", message: expect.stringContaining("5 years") }),
    });
    expect(await jobCount()).toBe(2);
  });

  test("one refused among a thousand costs its insert a few calls more, not a thousand", async () => {
    const { adder, calls } = anAdder();
    const adds = Array.from({ length: 1_000 }, (_, n) => adder.add(n === 617 ? unknown : orders, n, {}));
    const outcomes = await Promise.allSettled(adds);
    expect(outcomes.flatMap(({ status }, n) => (status === "rejected" ? [n] : []))).toEqual([617]);
    expect(await jobCount()).toBe(999);
    // Two for each halving of a thousand.
    expect(calls.length).toBeLessThanOrEqual(21);
  });

  test("a job that is refused at the door is never sent", async () => {
    const { adder, calls } = anAdder();
    const outcomes = await Promise.allSettled([
      adder.add(orders, { n: 1n }, {}),
      adder.add(orders, 1, { priority: 0 }),
      adder.add(orders, "good", {}),
    ]);
    expect(outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : null))).toEqual([
      expect.any(InvalidPayloadError),
      expect.any(AddOptionError),
      null,
    ]);
    expect(calls).toEqual([1]);
  });
});

describe("a reply that is lost", () => {
  test("is asked for again at once with the same id, so that the job is there once and known as new", async () => {
    const { adder, calls, loseReply } = anAdder();
    loseReply();
    const added = await adder.add(orders, "once", {});
    expect(calls).toEqual([1, 1]);
    expect(added).toMatchObject({ created: true, status: "pending" });
    expect(await jobCount()).toBe(1);
  });

  test("of an add that met a twin still says that the job was there", async () => {
    const { adder, loseReply } = anAdder();
    const first = await adder.add(orders, 1, { dedupKey: "k" });
    loseReply();
    expect(await adder.add(orders, 2, { dedupKey: "k" })).toMatchObject({ id: first.id, created: false });
  });

  test("of a job that has finished meanwhile does not add it again", async () => {
    const { adder, clock, loseReply } = anAdder();
    for (let time = 0; time < 2; time += 1) loseReply();
    const adding = adder.add(orders, "quick", {});
    await clock.whenAsleep();
    const [job] = await db.query<{ id: string }>("select id from lockstep.jobs");
    await db.value("cancel_job", { p_id: job?.id });
    await clock.advance(100);
    expect(await adding).toEqual({ id: job?.id, created: true, status: "cancelled" });
    expect(await jobCount()).toBe(0);
  });

  test("again and again is given up after four more attempts, within about two seconds", async () => {
    const { adder, clock, calls, loseReply } = anAdder();
    for (let time = 0; time < 5; time += 1) loseReply();
    const outcome = adder.add(orders, 1, {}).catch((error: unknown) => error);
    for (const waitMs of [100, 500, 1_500]) {
      await clock.whenAsleep();
      await clock.advance(waitMs);
    }
    expect(await outcome).toBeInstanceOf(DatabaseUnavailableError);
    expect(calls).toHaveLength(5);
    expect(await jobCount()).toBe(1);
  });
});

describe("many at once", () => {
  test("are answered in their order", async () => {
    const { adder, calls, told, looks } = anAdder();
    const added = await adder.addMany(orders, [
      { payload: "a" },
      { payload: "b", dedupKey: "k" },
      { payload: "c", dedupKey: "k" },
    ]);
    expect(calls).toEqual([3]);
    expect(added.map(({ created }) => created)).toEqual([true, true, false]);
    expect(added[2]?.id).toBe(added[1]?.id);
    expect(told.all("job.added")).toHaveLength(3);
    expect(looks()).toBe(1);
  });

  test("of which there are none need no call", async () => {
    const { adder, calls } = anAdder();
    expect(await adder.addMany(orders, [])).toEqual([]);
    expect(calls).toEqual([]);
  });

  test("above a thousand go in one transaction", async () => {
    const { adder } = anAdder();
    const added = await adder.addMany(
      orders,
      Array.from({ length: 2_500 }, (_, n) => ({ payload: n })),
    );
    expect(added).toHaveLength(2_500);
    expect(await jobCount()).toBe(2_500);
    expect(await stores.jobs.get(String(added[2_400]?.id))).toMatchObject({ payload: 2_400 });
  });

  test.each([3, 2_500])("are %i or none: one that is refused keeps all out", async (count) => {
    const { adder } = anAdder();
    const items = Array.from({ length: count }, (_, n) => ({ payload: n }));
    const tooFar = { payload: "last", scheduledFor: new Date("9000-01-01") };
    await expect(adder.addMany(orders, [...items, tooFar])).rejects.toThrow(RefusedError);
    const notJson = { payload: () => 1 };
    await expect(adder.addMany(orders, [...items, notJson])).rejects.toThrow(InvalidPayloadError);
    expect(await jobCount()).toBe(0);
  });

  test.each([2, 1_200])("%i whose reply was lost are there once", async (count) => {
    const { adder, loseReply } = anAdder();
    loseReply();
    const added = await adder.addMany(
      orders,
      Array.from({ length: count }, (_, n) => ({ payload: n })),
    );
    expect(added.every(({ created }) => created)).toBe(true);
    expect(await jobCount()).toBe(count);
  });

  test("are all there when another transaction broke theirs off and it ran again", async () => {
    const { adder } = anAdder();
    const keys = Array.from({ length: 1_500 }, (_, n) => `key ${n}`);
    // Holds the last key and then wants the first, which is held by then. It never looks for deadlocks itself.
    const other = await db.connect();
    await other.query("set deadlock_timeout = '1h'");
    await other.query("begin");
    const take = (dedupKey: string | undefined) =>
      other.query("select from lockstep.add_job(p_pipeline => 'orders', p_dedup_key => $1)", [dedupKey]);
    await take(keys.at(-1));
    const adding = adder.addMany(
      orders,
      keys.map((dedupKey, n) => ({ payload: n, dedupKey })),
    );
    await untilBlocked(db);
    await take(keys[0]);
    await other.query("rollback");
    await other.end();
    const added = await adding;
    expect(added.filter(({ created }) => created)).toHaveLength(1_500);
    expect(await jobCount()).toBe(1_500);
    expect(await stores.jobs.get(String(added[1_400]?.id))).toMatchObject({
      payload: 1_400,
      dedupKey: keys[1_400],
    });
  });

  test("with an id of the caller's own that is there already give that job", async () => {
    const { adder } = anAdder();
    const id = randomUUID();
    await adder.add(orders, "first", { id });
    const added = await adder.addMany(orders, [{ payload: "again", id }, { payload: "new" }]);
    expect(added).toMatchObject([{ id, created: false }, { created: true }]);
  });
});
