import { ManualClock, recordEvents } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { EngineEvents } from "../events/engine-events.ts";
import { AttemptLog } from "./attempt-log.ts";

const about = { jobId: "job", pipeline: "orders", stage: "read", attempt: 2 };

function aLog() {
  const clock = new ManualClock(new Date("2026-05-01T08:00:00Z"));
  const events = new EngineEvents();
  const log = new AttemptLog(clock, events, about);
  const kept = () => JSON.parse(log.asJson() ?? "[]") as Record<string, unknown>[];
  return { clock, log, kept, told: recordEvents(events) };
}

test("a line is told at once with its job, stage and attempt", () => {
  const { log, told } = aLog();
  log.warn("slow answer", { seconds: 3 });
  expect(told.all("job.log")).toEqual([
    { ...about, level: "warn", message: "slow answer", data: { seconds: 3 } },
  ]);
});

test("the lines are kept in order with level and time, and data only where there was some", async () => {
  const { clock, log, kept } = aLog();
  log.debug("one");
  await clock.advance(1_500);
  log.info("two", { of: 4 });
  log.warn("three", null);
  log.error("four");
  expect(kept()).toEqual([
    { at: "2026-05-01T08:00:00.000Z", level: "debug", message: "one" },
    { at: "2026-05-01T08:00:01.500Z", level: "info", message: "two", data: { of: 4 } },
    { at: "2026-05-01T08:00:01.500Z", level: "warn", message: "three", data: null },
    { at: "2026-05-01T08:00:01.500Z", level: "error", message: "four" },
  ]);
});

test("a try that logs nothing keeps nothing", () => {
  expect(aLog().log.asJson()).toBeNull();
});

test("a hundred lines are kept, and then how many were not; all are told", () => {
  const { log, kept, told } = aLog();
  for (let line = 1; line <= 105; line += 1) log.info(`line ${line}`);
  expect(kept()).toHaveLength(101);
  expect(kept()[99]).toMatchObject({ message: "line 100" });
  expect(kept()[100]).toMatchObject({ level: "warn", message: "5 further lines were not kept" });
  expect(told.all("job.log")).toHaveLength(105);
});

test("what is kept stays about 16 KiB however long the lines are", () => {
  const { log, kept } = aLog();
  for (let line = 0; line < 50; line += 1) log.info("x".repeat(5_000), { filling: "y".repeat(2_000) });
  expect(log.asJson()?.length).toBeLessThan(17_000);
  expect(kept().at(-1)?.message).toMatch(/^\d\d further lines were not kept$/);
  expect(String(kept()[0]?.message)).toHaveLength(1_000);
});

test("data that JSON cannot carry, or far too much of it, is left out and the message stays", () => {
  const { log, kept } = aLog();
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  log.info("cyclic", cyclic);
  log.info("huge", "z".repeat(50_000));
  expect(kept()).toEqual([
    { at: expect.any(String), level: "info", message: "cyclic" },
    { at: expect.any(String), level: "info", message: "huge" },
  ]);
});

test("characters that PostgreSQL cannot store are replaced in what is kept", () => {
  const { log, kept } = aLog();
  log.info("a\0b\ud800c");
  expect(kept()[0]?.message).toBe("a\ufffdb\ufffdc");
});
