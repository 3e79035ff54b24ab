import { beforeEach, describe, expect, test } from "vitest";
import { type EngineEventMap, type EngineEventName, EngineEvents } from "./engine-events.ts";
import { type Logger, logEvents } from "./event-logger.ts";

interface Line {
  level: string;
  fields: Record<string, unknown>;
  message: string;
}

let lines: Line[];
let nowMs: number;
let events: EngineEvents;
let logger: Logger;
let stopLogging: () => void;

beforeEach(() => {
  lines = [];
  nowMs = 1_000;
  events = new EngineEvents();
  const write = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields: { ...fields }, message });
  };
  logger = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  };
  stopLogging = logEvents(events, logger, { monotonicMs: () => nowMs });
});

const place = { jobId: "j1", pipeline: "p", stage: "s", attempt: 2 };
const error = { name: "TypeError", message: "fetch failed", code: "ECONNRESET", stack: "at secret place" };
const report = { workerId: "w", problems: [], stages: [] };

const examples: { [Name in EngineEventName]: [EngineEventMap[Name], string, string] } = {
  "engine.started": [{ workerId: "w" }, "info", "The engine has started"],
  "engine.stopping": [{}, "info", "The engine is stopping"],
  "engine.stopped": [{}, "info", "The engine has stopped"],
  "engine.error": [{ error: new Error("odd") }, "error", "The engine met an error and continues: odd"],
  "worker.registered": [{ workerId: "w", name: "host-1" }, "info", "The worker is registered as host-1"],
  "worker.lost": [
    { workerId: "w" },
    "warn",
    "The worker lost its lease; its jobs go to others, and it registers again",
  ],
  "worker.spent": [
    { workerId: "w", reason: "3 handlers did not stop." },
    "error",
    "3 handlers did not stop. This worker drains now; restart its process",
  ],
  "worker.stopped": [{ workerId: "w" }, "info", "The worker has stopped"],
  "job.added": [{ jobId: "j1", pipeline: "p", created: true }, "debug", "Job j1 is added"],
  "job.claimed": [place, "debug", "Job j1 is claimed in p/s"],
  "job.started": [{ ...place, processor: 3 }, "debug", "Job j1 starts in p/s"],
  "job.progress": [{ jobId: "j1", percent: 40, note: "reading" }, "debug", "Job j1 is at 40 %"],
  "job.advanced": [{ ...place, nextStage: "t", durationMs: 5 }, "debug", "Job j1 advances to t"],
  "job.skipped": [{ ...place, nextStage: "t" }, "debug", "Job j1 skips p/s"],
  "job.branched": [{ ...place, durationMs: 5 }, "debug", "Job j1 waits in p/s for its branches"],
  "job.completed": [{ ...place, durationMs: 5 }, "debug", "Job j1 is completed"],
  "job.retrying": [
    { ...place, error, durationMs: 5 },
    "warn",
    "Job j1 failed and will be retried in p/s, attempt 2: fetch failed",
  ],
  "job.failed": [
    { ...place, error, durationMs: 5 },
    "error",
    "Job j1 has failed for good in p/s, attempt 2: fetch failed",
  ],
  "job.snoozed": [{ ...place, forMs: 5 }, "debug", "Job j1 snoozes in p/s"],
  "job.released": [place, "debug", "Job j1 is released"],
  "job.cancelled": [{ jobId: "j1" }, "info", "Job j1 is cancelled"],
  "job.cancel_requested": [{ jobId: "j1" }, "info", "Job j1 is asked to stop"],
  "job.retried": [{ jobId: "j1" }, "info", "Job j1 is to run again"],
  "job.waits_ended": [{ count: 2, jobIds: ["a", "b"] }, "debug", "2 waits are over"],
  "job.signalled": [{ jobId: "j1", signal: "approval" }, "info", "Job j1 has signal approval"],
  "job.expired": [{ count: 3 }, "warn", "3 jobs had not started in time and ended as failed"],
  "job.lost": [{ count: 3 }, "warn", "3 jobs are taken back from workers that died"],
  "job.log": [{ ...place, level: "warn", message: "slow page" }, "warn", "slow page"],
  "schedule.fired": [
    { schedule: "nightly", tickAt: new Date("2026-03-02T03:00:00Z"), jobId: "j1" },
    "debug",
    "Schedule nightly adds job j1 for 2026-03-02T03:00:00.000Z",
  ],
  "schedule.missed": [
    { schedule: "nightly", from: new Date("2026-03-02T03:00:00Z"), next: new Date("2026-03-04T03:00:00Z") },
    "warn",
    "Schedule nightly missed ticks from 2026-03-02T03:00:00.000Z on, and continues with 2026-03-04T03:00:00.000Z",
  ],
  "schedule.problem": [
    { schedule: "nightly", problem: "The payload is not valid." },
    "error",
    "Schedule nightly can add no jobs: The payload is not valid.",
  ],
  "claim.lost": [
    { jobId: "j1", stage: "s", status: "processing" },
    "warn",
    "Job j1 was taken back in s before its attempt ended, and that end is not stored; another claim has the job now",
  ],
  "processor.error": [
    { ...place, processor: 3 },
    "error",
    "Processor 3 of p/s does not stop working on job j1",
  ],
  "processor.replaced": [
    { pipeline: "p", stage: "s", processor: 3 },
    "warn",
    "Processor 3 of p/s is replaced",
  ],
  health: [{ report }, "debug", "Health: all is well"],
  "database.down": [
    { error: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) },
    "error",
    "The database cannot be used (connect): start PostgreSQL, or correct host and port in databaseUrl or connection; the engine keeps trying by itself.",
  ],
  "database.up": [{ downForMs: 26_400 }, "warn", "The database can be reached again, after 26 s"],
  "schema.behind": [
    { found: 11, needed: 12 },
    "warn",
    "The schema has version 11, and this code brings 12: migrate it, such as with `engine.migrate()`. What the older schema lacks is refused until then",
  ],
};

test.each(Object.entries(examples))("%s is one line", (name, [event, level, message]) => {
  events.emit(name as EngineEventName, event as never);
  expect(lines).toMatchObject([{ level, message, fields: { event: name } }]);
});

test("a failure names its place and keeps its stack to the job's own record", () => {
  events.emit("job.failed", examples["job.failed"][0]);
  expect(lines[0]?.fields).toEqual({
    event: "job.failed",
    ...place,
    durationMs: 5,
    error: { name: "TypeError", code: "ECONNRESET" },
  });
});

test("a job taken back alone is one job", () => {
  events.emit("job.lost", { count: 1 });
  expect(lines[0]?.message).toBe("1 job is taken back from workers that died");
});

test("health is worth a line when something is wrong", () => {
  events.emit("health", { report: { ...report, problems: ["processor 3 of p/s is stuck"] } });
  expect(lines).toMatchObject([{ level: "info", message: "Health: processor 3 of p/s is stuck" }]);
});

test("nothing is logged after the end", () => {
  stopLogging();
  events.emit("job.completed", examples["job.completed"][0]);
  expect(lines).toEqual([]);
});

describe("what a handler logs", () => {
  test("has its secrets hidden by key", () => {
    const data = { url: "https://u:p@host", headers: { Authorization: "Bearer x" } };
    events.emit("job.log", { ...place, level: "info", message: "calling https://u:p@host", data });
    expect(lines).toEqual([
      {
        level: "info",
        message: "calling https://u:[redacted]@host",
        fields: {
          event: "job.log",
          ...place,
          data: { url: "https://u:[redacted]@host", headers: { Authorization: "[redacted]" } },
        },
      },
    ]);
  });

  test("may be data that cannot be read", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    events.emit("job.log", { ...place, level: "error", message: "odd", data: proxy });
    expect(lines).toMatchObject([{ level: "error", fields: { data: "[unreadable]" } }]);
  });
});

describe("an outage", () => {
  test("is told by its cause, with what to do about it", () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), { code: "ECONNREFUSED" });
    const error = Object.assign(new Error("nothing listens", { cause }), {
      name: "DatabaseUnavailableError",
    });
    events.emit("database.down", { error });
    expect(lines).toMatchObject([
      {
        message:
          "The database cannot be used (connect ECONNREFUSED 127.0.0.1:5432): start PostgreSQL, or correct host and port in databaseUrl or connection; the engine keeps trying by itself.",
        fields: { error: { name: "DatabaseUnavailableError", code: "ECONNREFUSED" } },
      },
    ]);
  });

  test("that several engines of one log are told of is one line, and so is its end", () => {
    const others = new EngineEvents();
    logEvents(others, logger, { monotonicMs: () => nowMs });
    const [down, up] = [{ error: new Error("connect") }, { downForMs: 1_000 }];
    for (const each of [events, others]) each.emit("database.down", down);
    for (const each of [events, others]) each.emit("database.up", up);
    others.emit("database.down", { error: new Error("again") });
    expect(lines.map(({ level }) => level)).toEqual(["error", "warn", "error"]);
  });
});

test("the same error of the engine is one line in five seconds, another error is its own", () => {
  for (let time = 0; time < 20; time++) events.emit("engine.error", { error: new Error("same") });
  events.emit("engine.error", { error: new Error("other") });
  nowMs += 5_000;
  events.emit("engine.error", { error: new Error("same") });
  expect(lines.map(({ message }) => message.replace(/.*: /, ""))).toEqual(["same", "other", "same"]);
});
