import { randomUUID } from "node:crypto";
import { ManualClock, recordEvents, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { EngineEvents } from "../../events/engine-events.ts";
import { Database } from "../../store/connections/database.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import { type Upkeep, UpkeepStore } from "../../store/working/upkeep-store.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { StalledJobMonitor, type StalledJobMonitorParts } from "./stalled-job-monitor.ts";

const db = testDatabase();
const thisWorker = randomUUID();

beforeEach(() => db.reset());

function monitor(store: StalledJobMonitorParts["store"]) {
  const clock = new ManualClock();
  const events = new EngineEvents();
  const sleepers: (number | "few")[] = [];
  const part = new StalledJobMonitor({
    store,
    clock,
    events,
    workerId: () => thisWorker,
    sweepIntervalMs: 5_000,
    cancelGraceMs: 30_000,
    keepCompletedDays: 7,
    keepFailedDays: 30,
    keepEventsDays: 3,
    keepActionsDays: 90,
    onSleepers: (count) => sleepers.push(count),
    onFewSleepers: () => sleepers.push("few"),
    random: () => 0.5,
  });
  onTestFinished(() => part.stop());
  return { part, clock, sleepers, events: recordEvents(events) };
}

function realStore(): UpkeepStore {
  const database = new Database({
    target: targetAt(db.url),
    connections: 2,
    transactionPooler: false,
    applicationName: "lockstep tests: stalled jobs",
  });
  onTestFinished(() => database.close(systemClock));
  return new UpkeepStore(database);
}

type Call = readonly [name: string, ...args: unknown[]];
const nothingToDo: Upkeep = {
  hasSwept: false,
  lostJobs: 0,
  failedJobs: 0,
  expiredJobs: 0,
  isFoldDue: false,
  isRetentionDue: false,
  workers: 1,
  sleepers: 1,
  areWaitsDue: false,
};

function countingStore(
  answer: Partial<Upkeep> = {},
  effectsLooked: number[] = [],
  keysLooked: number[] = [],
  actionsDeleted: number[] = [],
  rowsDeleted: number[] = [],
  tables: string[] = [],
): {
  store: StalledJobMonitorParts["store"];
  calls: Call[];
} {
  const calls: Call[] = [];
  return {
    calls,
    store: {
      upkeep: async (...args) => {
        calls.push(["upkeep", ...args]);
        return { ...nothingToDo, ...answer };
      },
      endDueWaits: async () => {
        calls.push(["waits"]);
        return { ended: 0, nextDueMs: null, jobIds: [] };
      },
      deleteSignals: async () => 0,
      deleteBudgetUsage: async () => 0,
      foldCounters: async (...args) => void calls.push(["fold", ...args]),
      deleteFinished: async (...args) => {
        calls.push(["delete", ...args]);
        return rowsDeleted.shift() ?? 0;
      },
      dropOldTable: async (...args) => {
        calls.push(["drop", ...args]);
        return tables.shift() ?? null;
      },
      deleteRecentKeys: async (...args) => {
        calls.push(["keys", ...args]);
        return keysLooked.shift() ?? 0;
      },
      deleteEffects: async (...args) => {
        calls.push(["effects", ...args]);
        return effectsLooked.shift() ?? 0;
      },
      deleteOldActions: async (...args) => {
        calls.push(["actions", ...args]);
        return actionsDeleted.shift() ?? 0;
      },
    },
  };
}

async function givenJobOfDeadWorker(): Promise<string> {
  const workerId = randomUUID();
  await db.call("define_pipeline", { p_name: "p", p_stages: [{ name: "s" }] });
  await db.call("register_worker", { p_worker_id: workerId, p_name: "w", p_stages: ["p/s"] });
  const [job] = await db.call<{ id: string }>("add_job", { p_pipeline: "p", p_payload: {} });
  await db.call("claim_jobs", { p_worker_id: workerId, p_stages: ["p/s"], p_batch_size: 1 });
  await db.timePasses(31_000);
  return job?.id ?? "";
}

describe("the jobs of a worker that died", () => {
  test("are taken back and counted in one event", async () => {
    const { part, clock, events } = monitor(realStore());
    part.start();
    await clock.whenAsleep();
    const jobId = await givenJobOfDeadWorker();
    expect(events.all("job.lost")).toEqual([]);
    await clock.advance(5_000);
    expect(await events.next("job.lost")).toEqual({ count: 1 });
    expect(await db.query("select id, status, losses from lockstep.jobs")).toEqual([
      { id: jobId, status: "pending", losses: 1 },
    ]);
  });

  test("are counted also when that was their last loss", async () => {
    await givenJobOfDeadWorker();
    await db.query("update lockstep.stages set max_losses = 1");
    const { part, events } = monitor(realStore());
    part.start();
    expect(await events.next("job.lost")).toEqual({ count: 1 });
    expect(await db.query("select status from lockstep.finished_jobs")).toEqual([{ status: "failed" }]);
  });
});

test("jobs that did not start in time end as failed, counted in one event", async () => {
  await db.call("define_pipeline", { p_name: "p", p_stages: [{ name: "s" }] });
  const { part, clock, events } = monitor(realStore());
  part.start();
  await clock.whenAsleep();
  for (const _ of [1, 2]) {
    await db.query(
      "select from lockstep.add_job('p', p_start_by => clock_timestamp() + interval '1 minute')",
    );
  }
  await db.timePasses(60_000);
  await clock.advance(5_000);
  expect(await events.next("job.expired")).toEqual({ count: 2 });
  expect(events.all("job.lost")).toEqual([]);
  expect(await db.query("select status, error ->> 'name' as error from lockstep.finished_jobs")).toEqual([
    { status: "failed", error: "ExpiredError" },
    { status: "failed", error: "ExpiredError" },
  ]);
});

test("counters are folded and old jobs deleted by the real functions", async () => {
  await givenJobOfDeadWorker();
  const { part, clock, events } = monitor(realStore());
  part.start();
  await clock.whenAsleep();
  expect(
    await db.query("select count(*)::int as moves from lockstep.stage_moves where moved_to = 'processing'"),
  ).toEqual([{ moves: 0 }]);
  const [retention] = await db.query<{ is_done: boolean }>(
    "select bool_and(done_at > '-infinity') as is_done from lockstep.upkeep where task in ('retention', 'effects', 'recent_keys', 'recorded_actions')",
  );
  expect(retention).toEqual({ is_done: true });
  expect(events.names()).not.toContain("engine.error");
});

describe("the times", () => {
  test("are the sweep's interval for a worker alone, with what else is due at its time", async () => {
    const { store, calls } = countingStore({ isFoldDue: true, isRetentionDue: true });
    const { part, clock } = monitor(store);
    part.start();
    await clock.advance(0);
    expect(calls).toEqual([
      [
        "upkeep",
        thisWorker,
        { sweepMs: 6_000, cancelGraceMs: 30_000, foldMs: 15_000, retentionMs: 3_600_000 },
      ],
      ["fold", 15_000],
      ["delete", 7, 30, 3, 3_600_000],
      ["drop", 7, 30, 3, ""],
      ["effects", 7, 3_600_000],
      ["keys", 3_600_000],
      ["actions", 90, 3_600_000],
    ]);
    await clock.advance(600_000);
    expect(calls.filter(([called]) => called === "upkeep")).toHaveLength(121);
  });

  test("are this worker's share only where there are many, at least once in two minutes", async () => {
    for (const [workers, tries] of [
      [4, 31],
      [100, 6],
    ] as const) {
      const { store, calls } = countingStore({ workers });
      const { part, clock } = monitor(store);
      part.start();
      await clock.advance(600_000);
      expect([workers, calls.length]).toEqual([workers, tries]);
    }
  });

  test("are the sweep's interval for the one of many that swept, and its share again when another one did", async () => {
    const { store, calls } = countingStore({ workers: 100 });
    let hasSwept = true;
    const upkeep: typeof store.upkeep = async (...args) => ({ ...(await store.upkeep(...args)), hasSwept });
    const { part, clock } = monitor({ ...store, upkeep });
    part.start();
    await clock.advance(60_000);
    expect(calls).toHaveLength(13);
    hasSwept = false;
    await clock.advance(5_000);
    await clock.advance(240_000);
    expect(calls).toHaveLength(16);
    // It asks for its own turn a little early, and leaves that of another one alone until it is late.
    const sweepsAfterMs = calls.map(([, , intervals]) => (intervals as { sweepMs: number }).sweepMs);
    expect(sweepsAfterMs).toEqual([6_000, ...Array(13).fill(4_000), 6_000, 6_000]);
  });

  test("come at once when the upkeep is overdue", async () => {
    const { store, calls } = countingStore({ workers: 100 });
    const { part, clock } = monitor(store);
    part.start();
    await clock.advance(1_000);
    part.wake();
    await clock.advance(0);
    expect(calls).toHaveLength(2);
  });

  test("leave no old effects for later: whoever has the turn goes on until a call looks at fewer", async () => {
    const { store, calls } = countingStore({ isRetentionDue: true }, [5_000, 5_000, 12]);
    const { part, clock } = monitor(store);
    part.start();
    await clock.advance(0);
    expect(calls.filter(([name]) => name === "effects")).toEqual([
      ["effects", 7, 3_600_000],
      ["effects", 7, 0],
      ["effects", 7, 0],
    ]);
  });

  test("leave no old dedup keys for later either", async () => {
    const { store, calls } = countingStore({ isRetentionDue: true }, [], [5_000, 12]);
    const { part, clock } = monitor(store);
    part.start();
    await clock.advance(0);
    expect(calls.filter(([name]) => name === "keys")).toEqual([
      ["keys", 3_600_000],
      ["keys", 0],
    ]);
  });

  test("leave no old rows and no old tables for later either, a call for each table", async () => {
    const { store, calls } = countingStore(
      { isRetentionDue: true },
      [],
      [],
      [],
      [5_000, 12],
      ["monday", "~"],
    );
    const { part, clock } = monitor(store);
    part.start();
    await clock.advance(0);
    expect(calls.filter(([name]) => name === "delete" || name === "drop")).toEqual([
      ["delete", 7, 30, 3, 3_600_000],
      ["delete", 7, 30, 3, 0],
      ["drop", 7, 30, 3, ""],
      ["drop", 7, 30, 3, "monday"],
      ["drop", 7, 30, 3, "~"],
    ]);
  });

  test("leave no old actions for later either", async () => {
    const { store, calls } = countingStore({ isRetentionDue: true }, [], [], [5_000, 12]);
    const { part, clock } = monitor(store);
    part.start();
    await clock.advance(0);
    expect(calls.filter(([name]) => name === "actions")).toEqual([
      ["actions", 90, 3_600_000],
      ["actions", 90, 0],
    ]);
  });

  test("end with stop, which may come twice", async () => {
    const { store, calls } = countingStore();
    const { part, clock } = monitor(store);
    part.start();
    await part.stop();
    await part.stop();
    const before = calls.length;
    await clock.advance(3_600_000);
    expect(calls).toHaveLength(before);
  });
});

test("how many sleep for the same jobs is told", async () => {
  const { part, clock, sleepers } = monitor(countingStore({ workers: 8, sleepers: 7 }).store);
  part.start();
  await clock.advance(0);
  expect(sleepers).toEqual([7]);
});

test("that those who sleep for the same jobs are suddenly few is told, too", async () => {
  const { store } = countingStore({});
  const counts = [9, 5, 2, 1, 0];
  const shrinking = { ...store, upkeep: async () => ({ ...nothingToDo, sleepers: counts.shift() ?? 0 }) };
  const { part, clock, sleepers } = monitor(shrinking);
  part.start();
  await clock.advance(20_000);
  expect(sleepers).toEqual([9, 5, 2, "few", 1, 0]);
});

describe("an error", () => {
  function failingStore(error: Error): StalledJobMonitorParts["store"] {
    return { ...countingStore().store, upkeep: () => Promise.reject(error) };
  }

  test("is told and the next sweep is tried all the same", async () => {
    const { part, clock, events } = monitor(failingStore(new Error("bad sweep")));
    part.start();
    await clock.advance(5_000);
    expect(events.all("engine.error").map(({ error }) => error.message)).toEqual(["bad sweep", "bad sweep"]);
  });

  test("of an outage is left to the pool to tell", async () => {
    const { part, clock, events } = monitor(failingStore(new DatabaseUnavailableError(new Error("gone"))));
    part.start();
    await clock.advance(5_000);
    expect(events.names()).toEqual([]);
  });
});
