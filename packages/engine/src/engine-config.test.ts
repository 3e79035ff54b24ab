import * as opentelemetry from "@opentelemetry/api";
import fc from "fast-check";
import type { Pool } from "pg";
import { describe, expect, expectTypeOf, test } from "vitest";
import { systemClock } from "./clock.ts";
import { ConfigError, type EngineOptions, engineSettings, readEngineConfig } from "./engine-config.ts";
import { stderrLogger } from "./events/stderr-logger.ts";
import { definePipeline } from "./jobs/pipelines/pipeline.ts";

const databaseUrl = "postgres://me:s3cret@localhost:5432/app";
const pipeline = definePipeline("p").stage("s", () => 1);

function read(options: object) {
  return readEngineConfig({ databaseUrl, ...options } as EngineOptions);
}

describe("settings that are not given", () => {
  test("have their defaults", () => {
    const { target, listenTarget, ...settings } = read({});
    expect(target).toMatchObject({
      hosts: [{ connectionString: databaseUrl }],
      accepts: "any",
      password: null,
    });
    expect(listenTarget).toBe(target);
    expect(settings).toEqual({
      databaseUrl,
      connection: null,
      pool: null,
      schema: "lockstep",
      listenUrl: null,
      listenConnection: null,
      transactionPooler: false,
      pipelines: [],
      stages: null,
      workerName: null,
      timing: "default",
      leaseMs: 30_000,
      heartbeatIntervalMs: 10_000,
      leaseMarginMs: 5_000,
      sweepIntervalMs: 5_000,
      pollIntervalMs: 2_000,
      assignIntervalMs: 0,
      assignmentsPerCycle: null,
      jobsAtOnce: null,
      claimBatchSize: 500,
      queueLimit: 1_000,
      healthIntervalMs: 30_000,
      stuckAfterMs: 300_000,
      drainTimeoutMs: 15_000,
      stopGraceMs: 5_000,
      cancelGraceMs: 30_000,
      progressIntervalMs: 1_000,
      keepCompletedDays: 7,
      keepFailedDays: 30,
      keepEventsDays: 3,
      keepActionsDays: 90,
      tokenSecret: null,
      connections: 4,
      tempRoot: null,
      logger: stderrLogger,
      telemetry: null,
      clock: systemClock,
    });
  });

  test("have the numbers of the classic timing when that is chosen", () => {
    const classic = read({ timing: "classic" });
    expect(classic).toEqual({
      ...read({}),
      timing: "classic",
      pollIntervalMs: 60_000,
      assignIntervalMs: 5_000,
      assignmentsPerCycle: 3,
      claimBatchSize: 10,
    });
  });

  test("are the same as settings given as undefined", () => {
    expect(read({ leaseMs: undefined, pipelines: undefined, timing: undefined })).toEqual(read({}));
  });
});

describe("settings that are given", () => {
  test("win over the timing", () => {
    const config = read({ timing: "classic", claimBatchSize: 50, assignmentsPerCycle: null });
    expect(config).toMatchObject({ claimBatchSize: 50, assignmentsPerCycle: null, pollIntervalMs: 60_000 });
  });

  test("cannot be changed afterwards", () => {
    const pipelines = [pipeline];
    const config = read({ pipelines });
    pipelines.push(definePipeline("late").stage("s", () => 1));
    expect(config.pipelines).toEqual([pipeline]);
    expect(() => Object.assign(config, { leaseMs: 1 })).toThrow(TypeError);
  });

  test.each<[string, object]>([
    ["a URL without user and port", { databaseUrl: "postgresql://localhost/app" }],
    ["a URL of several hosts", { databaseUrl: "postgres://me:p@a:5432,b:5433/app" }],
    ["a URL of a socket", { databaseUrl: "postgres:///app?host=/var/run/postgresql" }],
    ["a URL with an encoded password", { databaseUrl: "postgres://me:p%23%2F@db/app?sslmode=require" }],
    ["a direct URL beside a pooler", { transactionPooler: true, listenUrl: databaseUrl }],
    ["a name and a folder", { workerName: "büro-1", tempRoot: "/var/tmp" }],
    ["a lease of three heartbeats", { leaseMs: 300, heartbeatIntervalMs: 100, leaseMarginMs: 50 }],
    ["the console as logger", { logger: console }],
    ["a secret", { tokenSecret: "s".repeat(32) }],
    ["a new secret and the one before", { tokenSecret: ["n".repeat(40), "o".repeat(32)] }],
    ["OpenTelemetry's API", { telemetry: opentelemetry }],
  ])("are taken: %s", (_what, options) => {
    expect(read(options)).toMatchObject(options);
  });
});

describe("wrong settings are refused with a sentence", () => {
  test.each<[object, string]>([
    [{ lease: 1 }, 'Unknown setting "lease". Did you mean "leaseMs"?'],
    [{ heartbeatMs: 1 }, 'Unknown setting "heartbeatMs". Did you mean "heartbeatIntervalMs"?'],
    [{ pipeline: [] }, 'Unknown setting "pipeline". Did you mean "pipelines"?'],
    [{ colour: "red" }, 'Unknown setting "colour".'],
    [{ toString: 1 }, 'Unknown setting "toString".'],
    [{ leaseMs: "30s" }, "leaseMs must be a whole number of milliseconds from 100 to 3600000."],
    [{ pollIntervalMs: 0 }, "pollIntervalMs must be a whole number of milliseconds from 10 to 3600000."],
    [{ pollIntervalMs: Number.NaN }, "pollIntervalMs must be"],
    [{ pollIntervalMs: null }, "pollIntervalMs must be"],
    [{ drainTimeoutMs: 0.5 }, "drainTimeoutMs must be a whole number of milliseconds from 0 to 86400000."],
    [{ keepCompletedDays: 0 }, "keepCompletedDays must be a whole number of days from 1 to 3650."],
    [{ assignmentsPerCycle: 0 }, "assignmentsPerCycle must be a whole number from 1 to 10000, or null."],
    [{ connections: 1 }, "connections must be a whole number from 2 to 1000."],
    [{ transactionPooler: "yes" }, "transactionPooler must be true or false."],
    [{ timing: "slow" }, 'timing must be "default" or "classic".'],
    [{ workerName: "" }, "workerName must be a text of 1 to 200 visible characters, or null."],
    [{ workerName: "a\0b" }, "workerName must be"],
    [{ tempRoot: "tmp" }, "tempRoot must be the absolute path of a folder, or null."],
    [
      { logger: { info() {} } },
      "logger must be an object with the methods debug, info, warn and error, or null.",
    ],
    [
      { telemetry: { trace: opentelemetry.trace } },
      'telemetry must be the whole module, as import * as opentelemetry from "@opentelemetry/api" gives it, or null.',
    ],
    [
      { tokenSecret: "s3cret" },
      "tokenSecret must be a text of 32 characters or more, or a list of such texts, or null.",
    ],
    [{ tokenSecret: [] }, "tokenSecret must be"],
    [{ tokenSecret: ["s".repeat(32), "s3cret"] }, "tokenSecret must be"],
    [{ clock: null }, "clock must be an object with the methods now, monotonicMs and sleep."],
    [{ pipelines: pipeline }, "pipelines must be an array of pipelines made by definePipeline."],
    [{ pipelines: [pipeline, pipeline] }, 'pipelines cannot be used: Two pipelines are named "p"'],
    [{ pipelines: [definePipeline("empty")] }, 'pipelines cannot be used: Pipeline "empty" has no stages'],
    [
      { leaseMs: 29_999 },
      "leaseMs (29999) must be at least three times heartbeatIntervalMs (10000), so that one late heartbeat costs no job.",
    ],
    [
      { leaseMarginMs: 20_000 },
      "leaseMarginMs (20000) must be smaller than leaseMs less heartbeatIntervalMs (20000)",
    ],
    [
      { databaseUrl: undefined },
      "Say where PostgreSQL is: give databaseUrl, such as postgres://user:password@host:5432/database, or connection, or pool.",
    ],
    [{ databaseUrl: "" }, "databaseUrl must be a PostgreSQL URL"],
    [{ databaseUrl: "mysql://a:s3cret@b/c" }, "databaseUrl must begin with postgres:// or postgresql://"],
    [{ databaseUrl: "localhost:5432" }, "databaseUrl must begin with postgres:// or postgresql://"],
    [{ databaseUrl: "postgres://me:s3cret#1/2@db:54321x/app" }, 'percent-encoded, "#" as %23'],
    [{ databaseUrl: "postgres://me:s3cret,1/2@db/app" }, 'percent-encoded, "#" as %23'],
    [
      { databaseUrl: "postgres://me:s3cret@a,/app" },
      "databaseUrl names several hosts, and one of them is empty.",
    ],
    [
      { databaseUrl: "postgres://me:s3cret@a,b/app?target_session_attrs=standby" },
      'databaseUrl has a target_session_attrs that cannot be used, and may have "any", "read-write" or "primary"',
    ],
    [
      { connection: { host: "db" } },
      "Give only one of databaseUrl and connection: each says where PostgreSQL is.",
    ],
    [{ databaseUrl: undefined, connection: { hots: "db" } }, 'connection has no part "hots": it may have'],
    [
      { databaseUrl: undefined, connection: "postgres://me:s3cret@db/app" },
      "connection must be an object such as",
    ],
    [
      { databaseUrl: undefined, pool: {} },
      "pool must be a pool of node-postgres, as new pg.Pool() makes it.",
    ],
    [
      { listenUrl: databaseUrl, listenConnection: { host: "db" } },
      "Give only one of listenUrl and listenConnection: each says where to listen.",
    ],
    [
      { listenConnection: { port: 0 } },
      "listenConnection has a port that is no number from 1 to 65535, or null.",
    ],
    [{ listenUrl: "" }, "listenUrl must be a PostgreSQL URL"],
  ])("%j", (options, sentence) => {
    expect(() => read(options)).toThrow(ConfigError);
    expect(() => read(options)).toThrow(sentence);
    expect(() => read(options)).not.toThrow("s3cret");
  });

  test("when there are none", () => {
    expect(() => readEngineConfig(undefined as unknown as EngineOptions)).toThrow(ConfigError);
  });
});

test("every setting has a default its own check accepts, and a sentence", () => {
  for (const [name, setting] of Object.entries(engineSettings)) {
    expect([name, setting.check(setting.default)]).toEqual([name, null]);
    if ("classic" in setting) expect([name, setting.check(setting.classic)]).toEqual([name, null]);
    expect(setting.sentence).toMatch(/^[A-Z].*\.$/);
  }
});

test("the compiler asks for the database and knows every setting", () => {
  expectTypeOf<{ pipelines: [] }>().not.toExtend<EngineOptions>();
  expectTypeOf<{ databaseUrl: string; leaseMs: number }>().toExtend<EngineOptions>();
  expectTypeOf<{ connection: { host: string; password: () => Promise<string> } }>().toExtend<EngineOptions>();
  expectTypeOf<{ pool: Pool }>().toExtend<EngineOptions>();
  // @ts-expect-error a unit is missing
  const misspelt: EngineOptions = { databaseUrl, lease: 1 };
  expect(() => readEngineConfig(misspelt)).toThrow(ConfigError);
});

describe("stages", () => {
  test("are those of the pipelines, and a typing error is told of", () => {
    expect(read({ pipelines: [pipeline], stages: ["p/s"] }).stages).toEqual(["p/s"]);
    expect(() => read({ pipelines: [pipeline], stages: ["p/z"] })).toThrow(
      new ConfigError('stages names "p/z", which none of the pipelines has. Did you mean "p/s"?'),
    );
    expect(() => read({ stages: [] })).toThrow('stages must be a list of stages, each as "pipeline/stage"');
    expect(() => read({ stages: ["s"] })).toThrow(
      'stages must be a list of stages, each as "pipeline/stage"',
    );
  });
});

test("whatever numbers are given, a lease that is accepted outlives two heartbeats and its margin", () => {
  const ms = fc.oneof(
    fc.integer({ min: -10, max: 100_000 }),
    fc.double(),
    fc.constantFrom(2 ** 31, 2 ** 53, Number.NaN),
  );
  const given = fc.record({ leaseMs: ms, heartbeatIntervalMs: ms, leaseMarginMs: ms }, { requiredKeys: [] });
  fc.assert(
    fc.property(given, (options) => {
      let config: ReturnType<typeof read>;
      try {
        config = read(options);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        return;
      }
      const { leaseMs, heartbeatIntervalMs, leaseMarginMs } = config;
      expect(leaseMs).toBeGreaterThanOrEqual(3 * heartbeatIntervalMs);
      expect(leaseMs - leaseMarginMs).toBeGreaterThan(heartbeatIntervalMs);
      // A timer of more fires at once.
      expect(heartbeatIntervalMs).toBeLessThan(2 ** 31);
      expect(heartbeatIntervalMs).toBeGreaterThan(0);
    }),
    { numRuns: 10_000 },
  );
});
