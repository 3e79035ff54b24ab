// In real time: a tick is due by PostgreSQL's clock.
import { recordEvents, testDatabase } from "@lockstep/test-support";
import {
  createEngine,
  definePipeline,
  type Engine,
  type EngineOptions,
  InvalidPayloadError,
  RefusedError,
  ScheduleError,
  type ScheduleTick,
} from "lockstep";
import { systemClock } from "lockstep/internal";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const db = testDatabase();
beforeEach(() => db.reset());

const seen: (ScheduleTick | null)[] = [];
const report = definePipeline("report", { payload: z.object({ of: z.string() }) }).stage(
  "write",
  ({ schedule }) => {
    seen.push(schedule);
    return null;
  },
);

function anEngine(options: Partial<EngineOptions> = {}): Engine {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [report], logger: null, ...options });
  onTestFinished(() => engine.stop());
  return engine;
}

const nightly = { cron: "0 3 * * *", timeZone: "Europe/Berlin", payload: { of: "sales" } };

describe("a worker", () => {
  test("runs a job for each tick, whose handler knows the schedule and the tick", async () => {
    const engine = anEngine();
    const events = recordEvents(engine);
    await engine.start();
    await engine.schedule("secondly", report, {
      cron: "* * * * * *",
      payload: { of: "now" },
      tags: ["live"],
    });
    const first = await events.next("schedule.fired");
    await events.next("job.completed", ({ jobId }) => jobId === first.jobId);
    expect(seen).toContainEqual({ name: "secondly", tickAt: first.tickAt });
    expect(await engine.get(first.jobId)).toMatchObject({
      payload: { of: "now" },
      tags: ["schedule:secondly", `tick:${first.tickAt.toISOString()}`, "live"],
    });

    const second = await events.next("schedule.fired");
    expect(second.tickAt.getTime() - first.tickAt.getTime()).toBe(1_000);
    await engine.removeSchedule("secondly");
    const { id } = await engine.add(report, { of: "by hand" });
    await engine.result(id, { timeoutMs: 10_000 });
    expect(seen.at(-1)).toBeNull();
  });
});

describe("a client without a worker", () => {
  test("sets, lists, changes, pauses, resumes and removes schedules", async () => {
    const engine = anEngine();
    expect(await engine.schedule("nightly", report, nightly)).toBe("created");
    expect(await engine.schedule("nightly", report, nightly)).toBe("unchanged");
    expect(await engine.schedule("nightly", report, { ...nightly, missed: "run_once" })).toBe("changed");
    await engine.schedule("later", report, {
      ...nightly,
      priority: 3,
      owner: "ada",
      groupKey: "g",
      tags: ["blue"],
    });

    const [later, changed] = await engine.schedules();
    expect(later).toMatchObject({
      name: "later",
      priority: 3,
      owner: "ada",
      groupKey: "g",
      tags: ["blue"],
      missed: "skip",
    });
    expect(changed).toMatchObject({
      name: "nightly",
      pipeline: "report",
      cron: "0 3 * * *",
      timeZone: "Europe/Berlin",
      missed: "run_once",
      pausedAt: null,
      problem: null,
      lastAt: null,
      lastJobId: null,
    });
    expect(await engine.schedules({ after: "later", limit: 1 })).toMatchObject([{ name: "nightly" }]);

    expect([await engine.pauseSchedule("nightly"), await engine.pauseSchedule("nightly")]).toEqual([
      true,
      false,
    ]);
    const [paused] = await engine.schedules({ after: "later" });
    expect(paused).toMatchObject({ nextRuns: [], pausedAt: expect.any(Date) });
    expect(await engine.resumeSchedule("nightly")).toBe(true);
    expect([await engine.removeSchedule("nightly"), await engine.removeSchedule("nightly")]).toEqual([
      true,
      false,
    ]);
    expect(await engine.schedules()).toHaveLength(1);
  });

  test("sees the next five runs, over the changes of the clock", async () => {
    const clock = { ...systemClock, now: () => new Date("2026-03-27T12:00:00Z") };
    const engine = anEngine({ clock });
    await engine.schedule("nightly", report, { ...nightly, cron: "30 2 * * *" });
    const [schedule] = await engine.schedules();
    expect(schedule?.nextRuns.map((run) => run.toISOString())).toEqual([
      "2026-03-28T01:30:00.000Z",
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
      "2026-03-31T00:30:00.000Z",
      "2026-04-01T00:30:00.000Z",
    ]);
  });

  test("sees no runs of a pattern that was set in SQL and cannot be read", async () => {
    const engine = anEngine();
    await engine.schedule("nightly", report, nightly);
    await db.query("select lockstep.set_schedule('odd', 'report', 'every day')");
    expect((await engine.schedules()).map(({ name, nextRuns }) => [name, nextRuns.length])).toEqual([
      ["nightly", 5],
      ["odd", 0],
    ]);
  });
});

describe("refused with a sentence is", () => {
  test("a pattern, a zone, an option or a payload that is wrong", async () => {
    const engine = anEngine();
    await expect(engine.schedule("x", report, { ...nightly, cron: "0 25 * * *" })).rejects.toThrow(
      ScheduleError,
    );
    await expect(engine.schedule("x", report, { ...nightly, timeZone: "Berlin" })).rejects.toThrow(
      ScheduleError,
    );
    // @ts-expect-error a misspelt option
    await expect(engine.schedule("x", report, { ...nightly, prioritty: 3 })).rejects.toThrow(/"priority"\?/);
    const wrong = { ...nightly, payload: { of: 5 } };
    // @ts-expect-error the payload's type is the pipeline's
    await expect(engine.schedule("x", report, wrong)).rejects.toThrow(InvalidPayloadError);
    expect(await engine.schedules()).toEqual([]);
  });

  test("the name of a schedule that does not exist", async () => {
    const engine = anEngine();
    await expect(engine.pauseSchedule("nightly")).rejects.toMatchObject({
      name: "RefusedError",
      code: "LS007",
    });
    await expect(engine.resumeSchedule("nightly")).rejects.toThrow(RefusedError);
  });
});
