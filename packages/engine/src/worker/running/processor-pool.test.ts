import { randomUUID } from "node:crypto";
import { ManualClock, recordEvents } from "@lockstep/test-support";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { EngineEvents } from "../../events/engine-events.ts";
import type { Outcome } from "../../jobs/outcomes/outcome.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import type { StageOptions } from "../../jobs/pipelines/stage-options.ts";
import { workStagesOf } from "../../jobs/pipelines/work-stage.ts";
import { noBudgets } from "../../test-support/no-budgets.ts";
import { noStreams } from "../../test-support/no-streams.ts";
import { JobRun, type JobRunParts } from "./job-run.ts";
import { ProcessorPool } from "./processor-pool.ts";
import { TempFolders } from "./temp-folder.ts";

const stopGraceMs = 10_000;
const noFanOuts: JobRunParts["fanOuts"] = {
  write: async () => ({ kind: "release" }),
  childrenOf: (jobId) => {
    throw new Error(`Job ${jobId} has no children.`);
  },
};

const noTempFolders = new TempFolders(null);

interface Handling {
  readonly signal: AbortSignal;
  finish(value: unknown): void;
  fail(error: Error): void;
}

/** Processors for one stage whose handlers give the answer, or end when the test says so. */
function aPool(options: StageOptions = {}, answer?: () => unknown) {
  const clock = new ManualClock();
  const events = new EngineEvents();
  const handlings = new Map<string, Handling>();
  const ended: { jobId: string; outcome: Outcome }[] = [];
  const pipeline = definePipeline("orders").stage(
    "read",
    options,
    ({ jobId, signal }): unknown =>
      answer?.() ??
      new Promise((finish, fail) => {
        handlings.set(jobId, { signal, finish, fail });
      }),
  );
  const stages = workStagesOf(pipeline, new Map([["read", 1]]));
  const pool = new ProcessorPool({
    stages,
    clock,
    events,
    stopGraceMs,
    onEnded: ({ jobId }, outcome) => ended.push({ jobId, outcome }),
  });
  pool.start();
  onTestFinished(() => pool.stop());
  const newRun = (jobId: string) => {
    const [stage] = stages;
    if (stage === undefined) throw new Error("There is a stage.");
    const claim = { jobId, stageId: 1, token: randomUUID(), attempt: 1, priority: 10, position: 1 };
    return new JobRun({ ...claim, owner: null, tags: [], payload: null, outputs: {}, more: null }, stage, {
      clock,
      events,
      progress: { report: () => {}, reportLog: () => {} },
      tempFolders: noTempFolders,
      schema: "lockstep",
      effectsOf: () => ({ once: async () => undefined }),
      streams: noStreams,
      budgets: noBudgets,
      graceMs: 1_000,
      onEndedIn: () => {},
      fanOuts: noFanOuts,
      setSignalKey: async () => "applied",
    });
  };
  const run = (...jobIds: string[]) => pool.run(jobIds.map(newRun));
  const handling = (jobId: string) => {
    const found = handlings.get(jobId);
    if (found === undefined) throw new Error(`No handler runs for ${jobId}.`);
    return found;
  };
  const states = () => pool.processors(1).map(({ state }) => state);
  return { pool, clock, run, handling, ended, states, told: recordEvents(events) };
}

describe("processors", () => {
  test("there are ten of them unless told, all idle", () => {
    const { pool, states } = aPool();
    expect(states()).toEqual(new Array(10).fill("idle"));
    expect(pool.processors(1).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect([pool.idle(1), pool.busy]).toEqual([10, 0]);
  });

  test("a job makes one busy, and its end makes it idle again", async () => {
    const { pool, clock, run, handling, ended, states, told } = aPool({ processors: 2 });
    run("a");
    expect(states()).toEqual(["busy", "idle"]);
    expect([pool.idle(1), pool.busy]).toEqual([1, 1]);
    expect([...(pool.processors(1)[0]?.runs ?? [])].map(({ jobId }) => jobId)).toEqual(["a"]);
    expect(told.all("job.started")).toEqual([
      { jobId: "a", pipeline: "orders", stage: "read", attempt: 1, processor: 1 },
    ]);
    handling("a").finish("read");
    await clock.advance(0);
    expect(states()).toEqual(["idle", "idle"]);
    expect(ended).toEqual([{ jobId: "a", outcome: { kind: "done", value: "read" } }]);
    expect(pool.processors(1)[0]?.runs.size).toBe(0);
  });

  test("a handler that throws frees its processor too", async () => {
    const { clock, run, handling, ended, states } = aPool({ processors: 1 });
    run("a");
    handling("a").fail(new Error("oh"));
    await clock.advance(0);
    expect(states()).toEqual(["idle"]);
    expect(ended).toMatchObject([{ jobId: "a", outcome: { kind: "retry", error: { message: "oh" } } }]);
  });

  test("a handler that answers at once has freed its processor when run returns", () => {
    const { pool, run, ended, states, told } = aPool({ processors: 1 }, () => "read");
    run("a");
    run("b");
    expect(ended).toEqual(["a", "b"].map((jobId) => ({ jobId, outcome: { kind: "done", value: "read" } })));
    expect([states(), pool.idle(1), pool.busy]).toEqual([["idle"], 1, 0]);
    expect(told.all("job.started")).toMatchObject([{ jobId: "a" }, { jobId: "b" }]);
  });

  test("more jobs than processors are refused", () => {
    const { run } = aPool({ processors: 1 });
    run("a");
    expect(() => run("b")).toThrow("No processor of orders/read is idle.");
  });

  test("it tells when nothing runs any more", async () => {
    const { pool, run, handling } = aPool();
    await pool.whenIdle();
    run("a");
    run("b");
    let isIdle = false;
    const idle = pool.whenIdle().then(() => {
      isIdle = true;
    });
    handling("a").finish(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isIdle).toBe(false);
    handling("b").finish(1);
    await idle;
  });
});

describe("a stage's timeoutMs", () => {
  test("aborts the signal when it is over, not before, and the attempt that stops then ends as timeout", async () => {
    const { clock, run, handling, ended, states } = aPool({ processors: 1, timeoutMs: 5_000 });
    run("a");
    await clock.advance(4_999);
    expect(handling("a").signal.aborted).toBe(false);
    await clock.advance(1);
    expect(handling("a").signal.reason).toMatchObject({ reason: "timeout" });
    expect(states()).toEqual(["busy"]);
    handling("a").fail(new Error("I stop"));
    await clock.advance(0);
    expect(ended).toMatchObject([{ outcome: { kind: "retry", timedOut: true, error: { code: "timeout" } } }]);
    expect(states()).toEqual(["idle"]);
  });

  test("makes the processor error when the handler does not stop, and settles its job as timeout", async () => {
    const { pool, clock, run, ended, states, told } = aPool({ processors: 1, timeoutMs: 5_000 });
    run("a");
    await clock.advance(5_000 + stopGraceMs - 1);
    expect(states()).toEqual(["busy"]);
    expect(ended).toEqual([]);
    await clock.advance(1);
    expect(states()).toEqual(["error"]);
    expect(ended).toMatchObject([{ jobId: "a", outcome: { kind: "retry", timedOut: true } }]);
    expect(told.all("processor.error")).toEqual([
      { pipeline: "orders", stage: "read", jobId: "a", processor: 1 },
    ]);
    expect([pool.idle(1), pool.busy, pool.unstoppable]).toEqual([0, 0, 1]);
  });

  test("leaves a late result without a hearing", async () => {
    const { clock, run, handling, ended, states } = aPool({ processors: 1, timeoutMs: 5_000 });
    run("a");
    await clock.advance(5_000 + stopGraceMs);
    handling("a").finish("too late");
    await clock.advance(0);
    expect(ended).toHaveLength(1);
    expect(states()).toEqual(["error"]);
  });

  test("counts from each job's own start", async () => {
    const { clock, run, handling } = aPool({ timeoutMs: 5_000 });
    run("a");
    await clock.advance(3_000);
    run("b");
    await clock.advance(2_000);
    expect([handling("a").signal.aborted, handling("b").signal.aborted]).toEqual([true, false]);
    await clock.advance(3_000);
    expect(handling("b").signal.aborted).toBe(true);
  });

  test("needs no timer for attempts that end sooner", async () => {
    const { clock, run } = aPool({ timeoutMs: 5_000 }, () => "read");
    await clock.advance(0);
    const sleep = vi.spyOn(clock, "sleep");
    run("a");
    await clock.advance(0);
    run("b");
    await clock.advance(0);
    expect(sleep).not.toHaveBeenCalled();
  });

  test("of null never fires", async () => {
    const { clock, run, handling, ended } = aPool({ timeoutMs: null });
    run("a");
    await clock.advance(24 * 3_600_000);
    expect(handling("a").signal.aborted).toBe(false);
    expect(ended).toEqual([]);
  });

  test("of a day fires after a day", async () => {
    const day = 24 * 3_600_000;
    const { clock, run, handling } = aPool({ timeoutMs: day });
    run("a");
    await clock.advance(day - 1);
    expect(handling("a").signal.aborted).toBe(false);
    await clock.advance(1);
    expect(handling("a").signal.aborted).toBe(true);
  });

  test("is told as the longest of all that run: 0 when nothing does, null when one has no limit", async () => {
    const { pool, clock, run, handling } = aPool({ timeoutMs: 5_000 });
    expect(pool.longestTimeoutMs()).toBe(0);
    run("a");
    expect(pool.longestTimeoutMs()).toBe(5_000);
    handling("a").finish(1);
    await clock.advance(0);
    expect(pool.longestTimeoutMs()).toBe(0);
    const unlimited = aPool({ timeoutMs: null });
    unlimited.run("b");
    expect(unlimited.pool.longestTimeoutMs()).toBeNull();
  });
});

describe("processors in error", () => {
  test("are replaced, each under its number, which gives the capacity back", async () => {
    const { pool, clock, run, states, told } = aPool({ processors: 2, timeoutMs: 100 });
    run("a");
    run("b");
    await clock.advance(100 + stopGraceMs);
    expect([states(), pool.idle(1)]).toEqual([["error", "error"], 0]);
    pool.replaceErrors();
    expect([states(), pool.idle(1)]).toEqual([["idle", "idle"], 2]);
    expect(told.all("processor.replaced").map(({ processor }) => processor)).toEqual([1, 2]);
    run("c");
    run("d");
    expect(states()).toEqual(["busy", "busy"]);
  });

  test("are the only ones replaced", () => {
    const { pool, run, states, told } = aPool({ processors: 2 });
    run("a");
    pool.replaceErrors();
    expect(states()).toEqual(["busy", "idle"]);
    expect(told.all("processor.replaced")).toEqual([]);
  });
});

describe("aborting from outside", () => {
  test("reaches the one job it is for", () => {
    const { pool, run, handling } = aPool();
    run("a");
    run("b");
    expect(pool.abort("a", "cancel")).toBe(true);
    expect([handling("a").signal.aborted, handling("b").signal.aborted]).toEqual([true, false]);
    expect(pool.abort("nobody", "cancel")).toBe(false);
  });

  test("is news only the first time", () => {
    const { pool, run } = aPool();
    run("a");
    expect(pool.abort("a", "cancel")).toBe(true);
    expect(pool.abort("a", "cancel")).toBe(false);
  });

  test("gives the handler the grace, then goes on without it", async () => {
    const { pool, clock, run, ended, states } = aPool({ processors: 1, timeoutMs: null });
    run("a");
    await clock.advance(1_000);
    pool.abortAll("shutdown");
    await clock.advance(stopGraceMs - 1);
    expect(ended).toEqual([]);
    await clock.advance(1);
    expect(ended).toEqual([{ jobId: "a", outcome: { kind: "release" } }]);
    expect(states()).toEqual(["error"]);
  });

  test("abandoning ends every attempt at once and lets whoever waits for idleness go", async () => {
    const { pool, run, ended } = aPool();
    run("a");
    run("b");
    const idle = pool.whenIdle();
    pool.abortAll("shutdown");
    pool.abandonAll();
    await idle;
    expect(ended.map(({ outcome }) => outcome.kind)).toEqual(["release", "release"]);
  });
});

describe("handlers that do not stop", () => {
  test("count while they run on, and no longer when they have ended after all", async () => {
    const { pool, clock, run, handling } = aPool({ processors: 2, timeoutMs: 5_000 });
    run("a");
    run("b");
    await clock.advance(5_000 + stopGraceMs);
    expect(pool.unstoppable).toBe(2);
    handling("a").finish("too late");
    await clock.advance(0);
    expect(pool.unstoppable).toBe(1);
  });

  test("do not count when it was their lease that was lost", async () => {
    const { pool, clock, run } = aPool({ processors: 2, timeoutMs: null });
    run("a");
    run("b");
    pool.abort("a", "cancel");
    pool.abortAll("lease_lost");
    await clock.advance(stopGraceMs);
    expect([pool.busy, pool.unstoppable]).toEqual([0, 1]);
  });

  test("are excused when they were told before the database was back", async () => {
    const { pool, clock, run } = aPool({ processors: 3, timeoutMs: 5_000 });
    run("left behind before");
    await clock.advance(1);
    run("told before");
    await clock.advance(1_000);
    run("told after");
    await clock.advance(4_000 + stopGraceMs - 1_001);
    await clock.advance(1_000);
    expect(pool.unstoppable).toBe(1);
    pool.excuseUnstoppable();
    expect(pool.unstoppable).toBe(0);
    await clock.advance(stopGraceMs);
    expect(pool.processors(1).map(({ state }) => state)).toEqual(["error", "error", "error"]);
    expect(pool.unstoppable).toBe(0);
  });
});

describe("a processor with the jobs of one call", () => {
  test("is busy until the last of them has ended", async () => {
    const { pool, clock, run, handling, ended, states, told } = aPool({ processors: 1 });
    run("a", "b", "c");
    expect([states(), pool.idle(1), pool.busy]).toEqual([["busy"], 0, 3]);
    expect(told.all("job.started").map(({ jobId, processor }) => [jobId, processor])).toEqual([
      ["a", 1],
      ["b", 1],
      ["c", 1],
    ]);
    handling("b").finish(1);
    await clock.advance(0);
    expect([states(), pool.idle(1), pool.busy]).toEqual([["busy"], 0, 2]);
    handling("a").fail(new Error("oh"));
    handling("c").finish(1);
    await clock.advance(0);
    expect([states(), pool.idle(1), pool.busy]).toEqual([["idle"], 1, 0]);
    expect(ended.map(({ jobId, outcome }) => [jobId, outcome.kind])).toEqual([
      ["b", "done"],
      ["a", "retry"],
      ["c", "done"],
    ]);
  });

  test("is idle again when all of them have ended as soon as they began", () => {
    const { pool, run, ended, states } = aPool({ processors: 1 }, () => "read");
    run("a", "b");
    expect([states(), pool.idle(1), pool.busy, ended.length]).toEqual([["idle"], 1, 0, 2]);
  });

  test("goes on with the others when one of them is cancelled and its handler does not stop for it", async () => {
    const { pool, clock, run, handling, ended, states, told } = aPool({ processors: 1 });
    run("a", "b");
    pool.abort("a", "cancel");
    await clock.advance(stopGraceMs);
    expect(ended).toEqual([{ jobId: "a", outcome: { kind: "release" } }]);
    expect([states(), pool.busy, pool.unstoppable]).toEqual([["busy"], 1, 0]);
    handling("a").finish("too late");
    handling("b").finish("in time");
    await clock.advance(0);
    expect(ended.slice(1)).toEqual([{ jobId: "b", outcome: { kind: "done", value: "in time" } }]);
    expect([states(), pool.idle(1), told.all("processor.error")]).toEqual([["idle"], 1, []]);
  });

  test("is in error when its handler stops for none of them, and counts as one that does not stop", async () => {
    const { pool, clock, run, handling, ended, states, told } = aPool({ processors: 1, timeoutMs: 5_000 });
    run("a", "b", "c");
    await clock.advance(5_000 + stopGraceMs);
    expect(ended.map(({ outcome }) => outcome)).toMatchObject([
      { kind: "retry", timedOut: true },
      { kind: "retry", timedOut: true },
      { kind: "retry", timedOut: true },
    ]);
    expect([states(), pool.busy, pool.unstoppable]).toEqual([["error"], 0, 1]);
    expect(told.all("processor.error")).toHaveLength(1);
    for (const jobId of ["a", "b", "c"]) handling(jobId).finish("too late");
    await clock.advance(0);
    expect([pool.unstoppable, ended.length]).toEqual([0, 3]);
  });
});
