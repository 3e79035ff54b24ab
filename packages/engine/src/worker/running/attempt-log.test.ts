import { ManualClock, recordEvents } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { EngineEvents } from "../../events/engine-events.ts";
import { AttemptLog } from "./attempt-log.ts";

const about = { jobId: "job", pipeline: "orders", stage: "read", attempt: 2 };

function aLog() {
  const clock = new ManualClock(new Date("2026-05-01T08:00:00Z"));
  const events = new EngineEvents();
  const lengths: number[] = [];
  const log: AttemptLog = new AttemptLog(clock, events, about, () => lengths.push(kept().length));
  const kept = () => JSON.parse(log.asJson() ?? "[]") as Record<string, unknown>[];
  return { clock, log, kept, lengths, told: recordEvents(events) };
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

test("whoever shows the log hears of each line when it is kept", () => {
  const { log, lengths } = aLog();
  log.info("one");
  log.error("two");
  expect(lengths).toEqual([1, 2]);
});

test("an attempt that logs nothing keeps nothing", () => {
  expect(aLog().log.asJson()).toBeNull();
});

test("the first and the last fifty lines are kept, and between them how many were not; all are told", () => {
  const { log, kept, told } = aLog();
  for (let line = 1; line <= 100; line += 1) log.info(`line ${line}`);
  expect(kept().map(({ message }) => message)).toEqual(
    Array.from({ length: 100 }, (_, n) => `line ${n + 1}`),
  );
  log.info("line 101");
  expect(kept()[50]).toMatchObject({ level: "warn", message: "1 line was left out between these" });
  for (let line = 102; line <= 505; line += 1) log.info(`line ${line}`);
  expect(kept()).toHaveLength(101);
  expect(kept()[49]).toMatchObject({ message: "line 50" });
  expect(kept()[50]).toMatchObject({ level: "warn", message: "405 lines were left out between these" });
  expect([kept()[51], kept()[100]]).toMatchObject([{ message: "line 456" }, { message: "line 505" }]);
  expect(told.all("job.log")).toHaveLength(505);
});

test("what is kept stays about 16 KiB however long the lines are", () => {
  const { log, kept } = aLog();
  for (let line = 0; line < 50; line += 1) log.info("x".repeat(5_000), { filling: "y".repeat(2_000), line });
  expect(log.asJson()?.length).toBeLessThan(17_000);
  expect(kept().map(({ data }) => (data as { line: number } | undefined)?.line)).toEqual([
    0,
    1,
    undefined,
    48,
    49,
  ]);
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
