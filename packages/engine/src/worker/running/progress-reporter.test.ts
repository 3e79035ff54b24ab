import { randomUUID } from "node:crypto";
import { ManualClock, recordEvents, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { EngineEvents } from "../../events/engine-events.ts";
import { Database } from "../../store/connections/database.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { Claim } from "../../store/working/claim.ts";
import { ClaimStore } from "../../store/working/claim-store.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { ProgressReporter, type ProgressReporterParts } from "./progress-reporter.ts";

const db = testDatabase();

beforeEach(() => db.reset());

function claimOf(jobId: string, token: string = randomUUID()): Claim {
  return {
    jobId,
    token,
    stageId: 1,
    attempt: 1,
    priority: 10,
    position: 1,
    owner: null,
    tags: [],
    payload: {},
    outputs: {},
    more: null,
  };
}

function reporterOn(store: ProgressReporterParts["store"], intervalMs = 1_000) {
  const clock = new ManualClock();
  const events = new EngineEvents();
  const lost: string[] = [];
  const part = new ProgressReporter({
    store,
    clock,
    events,
    intervalMs,
    onLost: (jobIds) => lost.push(...jobIds),
  });
  onTestFinished(() => part.stop());
  return { part, clock, events: recordEvents(events), lost };
}

type Reports = Parameters<ClaimStore["reportProgress"]>[0];

/** In the database's place where only what is written when matters. */
function recordingStore() {
  const writes: Reports[] = [];
  const answers: (() => Promise<string[]>)[] = [];
  return {
    writes,
    /** What the next write comes to; after the last, nothing is lost. */
    answer: (answer: () => Promise<string[]>) => answers.push(answer),
    /** The percents of each write, by job. */
    percents: () =>
      writes.map((reports) =>
        Object.fromEntries(reports.map(({ claim, percent }) => [claim.jobId, percent])),
      ),
    store: {
      reportProgress: async (reports: Reports) => {
        writes.push(reports);
        return (await answers.shift()?.()) ?? [];
      },
    },
  };
}

function realStore(): ClaimStore {
  const database = new Database({
    target: targetAt(db.url),
    connections: 2,
    transactionPooler: false,
    applicationName: "lockstep tests: progress",
  });
  onTestFinished(() => database.close(systemClock));
  return new ClaimStore(database);
}

async function claimedJob(): Promise<Claim> {
  const workerId = randomUUID();
  await db.call("define_pipeline", { p_name: "p", p_stages: [{ name: "s" }] });
  await db.call("register_worker", { p_worker_id: workerId, p_name: "w", p_stages: ["p/s"] });
  await db.call("add_job", { p_pipeline: "p", p_payload: {} });
  const [row] = await db.call<{ id: string; claim_token: string }>("claim_jobs", {
    p_worker_id: workerId,
    p_stages: ["p/s"],
    p_batch_size: 1,
  });
  return claimOf(row?.id ?? "", row?.claim_token ?? "");
}

describe("in the database", () => {
  test("a report is written with note and data that can be stored", async () => {
    const claim = await claimedJob();
    const { part, lost } = reporterOn(realStore());
    part.report(claim, 42.4, "nul \0, half \ud83d", { page: "a\0", sizes: [1, 2] });
    await part.flush();
    expect(await db.query("select progress, progress_note, progress_data from lockstep.jobs")).toEqual([
      {
        progress: 42,
        progress_note: "nul \ufffd, half \ufffd",
        progress_data: { page: "a\ufffd", sizes: [1, 2] },
      },
    ]);
    expect(lost).toEqual([]);
  });

  test("a report on a claim that is another's changes nothing and is told as lost", async () => {
    const claim = await claimedJob();
    const { part, lost } = reporterOn(realStore());
    part.report(claimOf(claim.jobId), 42, null, null);
    await part.flush();
    expect(lost).toEqual([claim.jobId]);
    expect(await db.query("select progress from lockstep.jobs")).toEqual([{ progress: null }]);
  });
});

describe("what is written", () => {
  test.each([
    [-5, 0],
    [0, 0],
    [99.5, 99.5],
    [1e9, 100],
  ])("of %d percent is %d", async (given, written) => {
    const { store, writes } = recordingStore();
    const { part } = reporterOn(store);
    part.report(claimOf("j1"), given, null, undefined);
    await part.flush();
    expect(writes).toMatchObject([[{ percent: written, note: null, data: null }]]);
  });

  test.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    undefined as unknown as number,
    "50" as unknown as number,
  ])("of %s percent is nothing", async (given) => {
    const { store, writes } = recordingStore();
    const { part, events } = reporterOn(store);
    part.report(claimOf("j1"), given, "note", null);
    await part.flush();
    expect(writes).toEqual([]);
    expect(events.names()).toEqual([]);
  });

  test("of a note is at most its first 500 characters, none of them halved", async () => {
    const { store, writes } = recordingStore();
    const { part } = reporterOn(store);
    part.report(claimOf("j1"), 1, `${"x".repeat(499)}😀`, null);
    part.report(claimOf("j2"), 1, { no: "text" } as unknown as string, null);
    await part.flush();
    expect(writes[0]?.map(({ note }) => note)).toEqual(["x".repeat(499), null]);
  });

  test("of data that JSON cannot carry is the rest of the report", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const { store, writes } = recordingStore();
    const { part } = reporterOn(store);
    part.report(claimOf("j1"), 1, "note", cyclic);
    part.report(claimOf("j2"), 2, "note", { size: 1n });
    await part.flush();
    expect(writes[0]?.map(({ percent, data }) => [percent, data])).toEqual([
      [1, null],
      [2, null],
    ]);
  });

  test("is the data as it was when it was reported", async () => {
    const { store, writes } = recordingStore();
    const { part } = reporterOn(store);
    const data = { page: 1 };
    part.report(claimOf("j1"), 1, null, data);
    data.page = 2;
    await part.flush();
    expect(writes[0]?.[0]?.data).toEqual({ page: 1 });
  });
});

describe("the first report of a job", () => {
  test("is written at once, together with others said in the same go", async () => {
    const { store, percents } = recordingStore();
    const { part, clock } = reporterOn(store);
    part.report(claimOf("j1"), 1, null, null);
    part.report(claimOf("j2"), 2, null, null);
    await clock.advance(0);
    expect(percents()).toEqual([{ j1: 1, j2: 2 }]);
  });

  test("does not wait for another job's interval", async () => {
    const { store, percents } = recordingStore();
    const { part, clock } = reporterOn(store);
    const first = claimOf("j1");
    part.report(first, 1, null, null);
    await clock.advance(100);
    part.report(first, 2, null, null);
    await clock.advance(100);
    part.report(claimOf("j2"), 50, null, null);
    await clock.advance(0);
    expect(percents()).toEqual([{ j1: 1 }, { j2: 50 }]);
    await clock.advance(800);
    expect(percents()).toEqual([{ j1: 1 }, { j2: 50 }, { j1: 2 }]);
  });
});

describe("later reports of a job", () => {
  test("are written at most once per interval, and the last one wins", async () => {
    const { store, percents } = recordingStore();
    const { part, clock } = reporterOn(store);
    const claim = claimOf("j1");
    for (let percent = 0; percent <= 50; percent++) {
      part.report(claim, percent, null, null);
      await clock.advance(50);
    }
    await clock.advance(1_000);
    expect(percents()).toEqual([{ j1: 0 }, { j1: 19 }, { j1: 39 }, { j1: 50 }]);
  });

  test("under a new claim count as first ones", async () => {
    const { store, percents } = recordingStore();
    const { part, clock } = reporterOn(store);
    part.report(claimOf("j1"), 90, null, null);
    await clock.advance(0);
    part.report(claimOf("j1"), 5, null, null);
    await clock.advance(0);
    expect(percents()).toEqual([{ j1: 90 }, { j1: 5 }]);
  });

  test("do not overtake a write under way", async () => {
    const { store, percents, answer } = recordingStore();
    const { part, clock } = reporterOn(store, 0);
    let letGo = () => {};
    answer(() => new Promise((resolve) => (letGo = () => resolve([]))));
    const claim = claimOf("j1");
    part.report(claim, 1, null, null);
    await clock.advance(0);
    part.report(claim, 2, null, null);
    const flushed = part.flush();
    await clock.advance(5_000);
    expect(percents()).toEqual([{ j1: 1 }]);
    letGo();
    await flushed;
    expect(percents()).toEqual([{ j1: 1 }, { j1: 2 }]);
  });

  test("are dropped when the attempt has ended", async () => {
    const { store, percents } = recordingStore();
    const { part, clock } = reporterOn(store);
    const claim = claimOf("j1");
    part.report(claim, 1, null, null);
    await clock.advance(0);
    part.report(claim, 2, null, null);
    part.forget("j1");
    await clock.advance(10_000);
    expect(percents()).toEqual([{ j1: 1 }]);
  });

  test("are written by a flush without waiting", async () => {
    const { store, percents } = recordingStore();
    const { part, clock } = reporterOn(store);
    const claim = claimOf("j1");
    part.report(claim, 1, null, null);
    await clock.advance(0);
    part.report(claim, 2, null, null);
    await part.flush();
    expect(percents()).toEqual([{ j1: 1 }, { j1: 2 }]);
  });
});

describe("listeners hear", () => {
  test("a first report at once and further ones as often as they are written", async () => {
    const { store } = recordingStore();
    const { part, clock, events } = reporterOn(store);
    const claim = claimOf("j1");
    part.report(claim, 1, "begun", null);
    expect(events.all("job.progress")).toEqual([{ jobId: "j1", percent: 1, note: "begun" }]);
    part.report(claim, 2, null, null);
    await clock.advance(0);
    part.report(claim, 3, null, null);
    part.report(claim, 4, null, null);
    await clock.advance(1_000);
    expect(events.all("job.progress").map(({ percent }) => percent)).toEqual([1, 2, 4]);
  });

  test("nothing of an attempt that ended before it was written", async () => {
    const { store, answer } = recordingStore();
    const { part, clock, events, lost } = reporterOn(store);
    const claim = claimOf("j1");
    part.report(claim, 1, null, null);
    await clock.advance(0);
    answer(async () => ["j1"]);
    part.report(claim, 2, null, null);
    const flushed = part.flush();
    await Promise.resolve();
    part.forget("j1");
    await flushed;
    expect(events.all("job.progress").map(({ percent }) => percent)).toEqual([1]);
    expect(lost).toEqual([]);
  });
});

describe("log lines", () => {
  /** An attempt whose lines are read when they are written, as those of an attempt are. */
  function aTry(part: ProgressReporter, jobId: string) {
    const claim = claimOf(jobId);
    const lines: string[] = [];
    const log = (line: string) => {
      lines.push(line);
      part.reportLog(claim, () => JSON.stringify(lines));
    };
    return { claim, log };
  }
  const logsOf = (writes: readonly Reports[]) =>
    writes.map((reports) =>
      Object.fromEntries(reports.map(({ claim, log }) => [claim.jobId, JSON.parse(log ?? "null")])),
    );

  test("of many jobs are written in one call, an interval after the first, without touching progress", async () => {
    const { store, writes } = recordingStore();
    const { part, clock, events } = reporterOn(store);
    const [one, two] = [aTry(part, "j1"), aTry(part, "j2")];
    one.log("a");
    two.log("x");
    await clock.advance(999);
    expect(writes).toEqual([]);
    one.log("b");
    await clock.advance(1);
    expect(logsOf(writes)).toEqual([{ j1: ["a", "b"], j2: ["x"] }]);
    expect(writes[0]).toMatchObject([
      { percent: null, note: null, data: null },
      { percent: null, note: null, data: null },
    ]);
    expect(events.names()).toEqual([]);
  });

  test("are written again only when there are new ones, and at most once per interval", async () => {
    const { store, writes } = recordingStore();
    const { part, clock } = reporterOn(store);
    const { log } = aTry(part, "j1");
    log("a");
    await clock.advance(5_000);
    expect(logsOf(writes)).toEqual([{ j1: ["a"] }]);
    for (const line of ["b", "c", "d", "e"]) {
      log(line);
      await clock.advance(400);
    }
    await clock.advance(5_000);
    expect(logsOf(writes).map(({ j1 }) => j1.length)).toEqual([1, 4, 5]);
  });

  test("travel with progress that is written sooner", async () => {
    const { store, writes } = recordingStore();
    const { part, clock } = reporterOn(store);
    const { claim, log } = aTry(part, "j1");
    log("a");
    await clock.advance(300);
    part.report(claim, 50, "half", null);
    await clock.advance(0);
    expect(writes).toMatchObject([[{ percent: 50, note: "half", log: '["a"]' }]]);
    await clock.advance(5_000);
    expect(writes).toHaveLength(1);
  });

  test("of an attempt that has ended are not written", async () => {
    const { store, writes } = recordingStore();
    const { part, clock } = reporterOn(store);
    aTry(part, "j1").log("a");
    await clock.advance(500);
    part.forget("j1");
    await clock.advance(5_000);
    expect(writes).toEqual([]);
  });

  test("that meet an outage are written a second later, with those that came since", async () => {
    const { store, writes, answer } = recordingStore();
    const { part, clock } = reporterOn(store);
    answer(() => Promise.reject(new DatabaseUnavailableError(new Error("gone"))));
    const { log } = aTry(part, "j1");
    log("a");
    await clock.advance(1_000);
    log("b");
    await clock.advance(1_000);
    expect(logsOf(writes)).toEqual([{ j1: ["a"] }, { j1: ["a", "b"] }]);
  });

  test("of a claim that is lost tell so", async () => {
    const claim = await claimedJob();
    const { part, lost } = reporterOn(realStore());
    part.reportLog(claimOf(claim.jobId), () => "[]");
    await part.flush();
    expect(lost).toEqual([claim.jobId]);
    expect(await db.query("select log from lockstep.jobs")).toEqual([{ log: null }]);
  });
});

describe("a write that fails", () => {
  const outage = () => Promise.reject(new DatabaseUnavailableError(new Error("gone")));

  test("in an outage is tried again a second later, and no error is told", async () => {
    const { store, percents, answer } = recordingStore();
    const { part, clock, events } = reporterOn(store, 0);
    answer(outage);
    part.report(claimOf("j1"), 1, null, null);
    await clock.advance(999);
    expect(percents()).toEqual([{ j1: 1 }]);
    await clock.advance(1);
    expect(percents()).toEqual([{ j1: 1 }, { j1: 1 }]);
    expect(events.all("engine.error")).toEqual([]);
  });

  test("gives way to a newer report", async () => {
    const { store, percents, answer } = recordingStore();
    const { part, clock } = reporterOn(store);
    const claim = claimOf("j1");
    answer(async () => {
      part.report(claim, 2, null, null);
      return await outage();
    });
    part.report(claim, 1, null, null);
    await clock.advance(1_000);
    expect(percents()).toEqual([{ j1: 1 }, { j1: 2 }]);
  });

  test("does not keep a flush", async () => {
    const { store, answer } = recordingStore();
    const { part, clock } = reporterOn(store);
    answer(outage);
    part.report(claimOf("j1"), 1, null, null);
    await part.flush();
    expect(clock.monotonicMs()).toBe(0);
  });

  test("for another reason is told and not tried again", async () => {
    const { store, percents, answer } = recordingStore();
    const { part, clock, events } = reporterOn(store);
    answer(() => Promise.reject(new Error("refused")));
    part.report(claimOf("j1"), 1, null, null);
    await clock.advance(10_000);
    expect(percents()).toEqual([{ j1: 1 }]);
    expect(events.all("engine.error").map(({ error }) => error.message)).toEqual(["refused"]);
  });
});

test("after stop, which may come twice, nothing is written any more", async () => {
  const { store, percents } = recordingStore();
  const { part, clock } = reporterOn(store);
  const claim = claimOf("j1");
  part.report(claim, 1, null, null);
  await clock.advance(0);
  part.report(claim, 2, null, null);
  await part.stop();
  await part.stop();
  part.report(claim, 3, null, null);
  await part.flush();
  await clock.advance(10_000);
  expect(percents()).toEqual([{ j1: 1 }]);
});
