import { pino } from "pino";
import { expect, expectTypeOf, test } from "vitest";
import { systemClock } from "../clock.ts";
import { readEngineConfig } from "../engine-config.ts";
import { EngineEvents } from "./engine-events.ts";
import { type Logger, logEvents } from "./event-logger.ts";

/** A real pino whose lines are kept. */
function aPino(level: string) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level, base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { logger, lines };
}

const job = { jobId: "1", pipeline: "orders", stage: "read", attempt: 2 };

test("pino is a logger as it is, for the compiler and for the settings", () => {
  const { logger } = aPino("info");
  expectTypeOf(logger).toExtend<Logger>();
  expect(readEngineConfig({ databaseUrl: "postgres://localhost/any", logger }).logger).toBe(logger);
});

test("pino writes the message, its level and the fields of the event", () => {
  const { logger, lines } = aPino("debug");
  const events = new EngineEvents();
  logEvents(events, logger, systemClock);
  events.emit("job.started", { ...job, processor: 3 });
  events.emit("job.failed", { ...job, error: { name: "TypeError", message: "broken" }, durationMs: 12 });
  expect(lines).toMatchObject([
    { level: 20, msg: "Job 1 starts in orders/read", event: "job.started", processor: 3 },
    {
      level: 50,
      msg: "Job 1 has failed for good in orders/read, attempt 2: broken",
      event: "job.failed",
      ...job,
      durationMs: 12,
      error: { name: "TypeError" },
    },
  ]);
});

test("a pino that drops debug lines is asked once, and costs a busy worker nothing", () => {
  const { logger, lines } = aPino("info");
  const events = new EngineEvents();
  logEvents(events, logger, systemClock);
  expect(events.hasListeners("job.started")).toBe(false);
  expect(events.hasListeners("job.completed")).toBe(false);
  events.emit("job.lost", { count: 2 });
  expect(lines).toMatchObject([{ level: 40, event: "job.lost", count: 2 }]);
});

test("a child of pino is a logger too, and its bindings are on every line", () => {
  const { logger, lines } = aPino("info");
  const events = new EngineEvents();
  logEvents(events, logger.child({ service: "orders" }), systemClock);
  events.emit("job.lost", { count: 1 });
  expect(lines).toMatchObject([{ service: "orders", event: "job.lost" }]);
});
