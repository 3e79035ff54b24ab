// On a server of its own: the one of the tests has no JIT, which the PostgreSQL of most people has, switched on.
import { createRoles, migrate } from "@lockstep/database";
import { type LocalPostgres, startPostgres } from "@lockstep/local-postgres";
import { findPostgresWithJit } from "@lockstep/test-support";
import { type AddItem, createEngine, definePipeline } from "lockstep";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fuzzSql } from "../fuzz/sql-fuzz.ts";

const installed = findPostgresWithJit();
const count = 200;

const items = (options: (index: number) => Omit<AddItem<null>, "payload">): AddItem<null>[] =>
  Array.from({ length: count }, (_, index) => ({ payload: null, ...options(index) }));
const pipelineOf = (name: string, options: { concurrency?: number; groupConcurrency?: number }) =>
  definePipeline<null>(name).stage("run", options, () => undefined);

describe.skipIf(installed === null)("on a PostgreSQL with JIT", () => {
  let server: LocalPostgres;
  let client: pg.Client;

  beforeAll(async () => {
    server = await startPostgres({
      binariesFolder: installed ?? undefined,
      settings: {
        fsync: "off",
        shared_preload_libraries: "pg_stat_statements",
        "pg_stat_statements.track": "all",
        "pg_stat_statements.max": "10000",
      },
    });
    await createRoles({ databaseUrl: server.url });
    await migrate({ databaseUrl: server.url });
    client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query("create extension pg_stat_statements");
  });
  afterAll(async () => {
    await client?.end();
    await server?.stop();
  });
  beforeEach(async () => {
    await client.query("reset all");
    await client.query("select pg_stat_statements_reset()");
  });

  /** The statements that PostgreSQL compiled since the test began, those inside functions too. */
  async function compiled(): Promise<{ query: string; toplevel: boolean }[]> {
    const { rows } = await client.query(
      "select query, toplevel from pg_stat_statements where jit_functions > 0 and query !~ 'pg_stat_statements'",
    );
    return rows;
  }

  /** Statements inside functions, of whatever kind. */
  async function nested(): Promise<number> {
    const { rows } = await client.query(
      "select count(*)::integer as statements from pg_stat_statements where not toplevel",
    );
    return rows[0].statements;
  }

  test("the server compiles a statement whose plan is steered", async () => {
    await client.query("create temporary table small as select 1 as n");
    await client.query("set enable_seqscan = off");
    await client.query("select sum(n) from small where n > 0");
    expect(await compiled()).toEqual([{ query: expect.stringContaining("from small"), toplevel: true }]);
  });

  test.each([
    { what: "without a limit", pipeline: pipelineOf("plain", {}), options: () => ({}) },
    {
      what: "of owners",
      pipeline: pipelineOf("owned", {}),
      options: (index: number) => ({ owner: `owner ${index % 20}`, dedupKey: `key ${index}` }),
    },
    {
      what: "with a concurrency",
      pipeline: pipelineOf("limited", { concurrency: 50 }),
      options: (index: number) => ({ priority: 1 + (index % 20) }),
    },
    {
      what: "in groups",
      pipeline: pipelineOf("grouped", { groupConcurrency: 5 }),
      options: (index: number) => ({ groupKey: `group ${index % 20}` }),
    },
  ])("no statement is compiled while jobs $what are added and run", async ({ pipeline, options }) => {
    const engine = createEngine({ databaseUrl: server.url, pipelines: [pipeline], logger: null });
    try {
      const added = await engine.addMany(pipeline, items(options));
      await engine.start();
      await Promise.all(added.map(({ id }) => engine.result(id)));
      const [first] = added;
      await engine.explain(first?.id ?? "");
      await engine.stats();
      expect(await engine.verify()).toEqual([]);
    } finally {
      await engine.stop();
    }
    expect(await nested()).toBeGreaterThan(20);
    expect(await compiled()).toEqual([]);
  });

  test("the doctor says what JIT means now, and finds and mends a function that is not pinned", async () => {
    const engine = createEngine({ databaseUrl: server.url, logger: null });
    const found = async () => (await engine.diagnose()).filter(({ check }) => check === "jit");
    try {
      expect(await found()).toMatchObject([
        {
          severity: "ok",
          finding: expect.stringMatching(/^jit is on, but the functions of Lockstep switch/),
        },
      ]);
      await client.query("alter function lockstep.lock_gates reset jit");
      const [unpinned] = await found();
      expect(unpinned).toMatchObject({
        severity: "bad",
        finding: expect.stringMatching(/^jit is on, and 1 functions of Lockstep do not .*\(lock_gates\)/),
      });
      await client.query(unpinned?.repairSql ?? "");
      expect(await found()).toMatchObject([{ severity: "ok" }]);
      await client.query("alter database postgres set jit = off");
      const other = createEngine({ databaseUrl: server.url, logger: null });
      expect(await other.diagnose()).toContainEqual(
        expect.objectContaining({ check: "jit", finding: "the server does not compile plans (JIT is off)" }),
      );
      await other.stop();
    } finally {
      await client.query("alter database postgres reset jit");
      await engine.stop();
    }
  });

  test("no statement inside a function is compiled, however costly PostgreSQL takes it for", async () => {
    await client.query("set jit_above_cost = 0");
    await client.query("set jit_inline_above_cost = -1");
    await client.query("set jit_optimize_above_cost = -1");
    const { mistakes, answered } = await fuzzSql(client, { seed: 1, callsEach: 2 });
    expect(mistakes).toEqual([]);
    expect(answered).toBeGreaterThan(50);
    const found = await compiled();
    // The calls themselves, which show that it would.
    expect(found.filter(({ toplevel }) => toplevel).length).toBeGreaterThan(10);
    expect(found.filter(({ toplevel }) => !toplevel)).toEqual([]);
  });
});
