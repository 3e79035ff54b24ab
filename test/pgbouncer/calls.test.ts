import { randomUUID } from "node:crypto";
import { JobFactory } from "@lockstep/test-support";
import { createEngine, DatabaseUnavailableError, definePipeline, type Engine } from "lockstep";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { startPgBouncer } from "./pg-bouncer.ts";
import { describeThroughPgBouncer, pooledDatabase } from "./pooled-database.ts";

const claimers = 16;
const jobCount = 400;

describeThroughPgBouncer("through PgBouncer in transaction mode", () => {
  const db = pooledDatabase();
  const jobs = new JobFactory(db.direct);

  test("sixteen claimers on three connections claim each job once", async () => {
    await jobs.aPipeline("orders", ["read"]);
    await db.direct.query(
      `select lockstep.add_jobs((select jsonb_agg('{"pipeline": "orders"}'::jsonb) from generate_series(1, $1)))`,
      [jobCount],
    );
    const pool = new pg.Pool({ connectionString: db.url, max: claimers });
    onTestFinished(() => pool.end());
    const claimed = await Promise.all(
      Array.from({ length: claimers }, async () => {
        const workerId = randomUUID();
        await pool.query("select lockstep.register_worker($1, 'claimer')", [workerId]);
        const ids: string[] = [];
        for (;;) {
          const { rows } = await pool.query<{ id: string }>(
            "select id from lockstep.claim_jobs($1, '{orders/read}', 7)",
            [workerId],
          );
          if (rows.length === 0) return ids;
          ids.push(...rows.map(({ id }) => id));
        }
      }),
    );
    const ids = claimed.flat();
    expect(ids).toHaveLength(jobCount);
    expect(new Set(ids).size).toBe(jobCount);
    await db.direct.query("delete from lockstep.workers");
    await db.direct.reset();
  });

  test("an empty database is migrated", async () => {
    const name = `${new URL(db.url).pathname.slice(1)}_empty`;
    await db.direct.query(`create database ${name}`);
    const url = new URL(db.url);
    url.pathname = `/${name}`;
    const engine = createEngine({ databaseUrl: url.href, transactionPooler: true, logger: null });
    try {
      expect((await engine.migrate()).migrations.length).toBeGreaterThan(0);
      expect(await engine.migrate()).toMatchObject({ migrations: [], functions: false });
      expect(await engine.verify()).toEqual([]);
    } finally {
      await engine.stop();
      await db.direct.query(`drop database ${name} with (force)`);
    }
  });

  test("an engine that was not told of the pooler is told what to set, and does not wait for ever", async () => {
    const engine = anUntoldEngine(db.url);
    const refusal = await engine.start().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DatabaseUnavailableError);
    expect(refusal).toMatchObject({ message: expect.stringContaining("set transactionPooler: true") });
  });

  test("it is told the same by a pooler that lets it in and then loses its statements", async () => {
    const lenient = await startPgBouncer(db.direct.url, {
      ignoredParameters: [
        "statement_timeout",
        "lock_timeout",
        "idle_in_transaction_session_timeout",
        "idle_session_timeout",
        "default_transaction_isolation",
      ],
    });
    onTestFinished(() => lenient.stop());
    const engine = anUntoldEngine(lenient.through(db.direct.url));
    const answers = await Promise.allSettled(Array.from({ length: 40 }, () => engine.stats()));
    const refusals = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    expect(refusals.length).toBeGreaterThan(0);
    for (const refusal of refusals) {
      expect(refusal).toBeInstanceOf(DatabaseUnavailableError);
      expect(refusal).toMatchObject({ message: expect.stringContaining("set transactionPooler: true") });
    }
    await engine.stop();
  });

  test("a diagnosis finds the pooler by itself, and says what to set", async () => {
    const untold = await anUntoldEngine(db.url).diagnose();
    expect(untold.find(({ check }) => check === "pooler")).toMatchObject({
      severity: "bad",
      advice: "Set transactionPooler: true, and listenUrl to a direct URL if there is one.",
    });
    const told = createEngine({ databaseUrl: db.url, transactionPooler: true, logger: null });
    onTestFinished(() => told.stop());
    const findings = await told.diagnose();
    expect(findings.find(({ check }) => check === "pooler")).toMatchObject({ severity: "ok" });
    expect(findings.find(({ check }) => check === "listen and notify")).toMatchObject({ severity: "warn" });
    expect(findings.map(({ check }) => check)).toContain("missing indexes");
  });

  function anUntoldEngine(databaseUrl: string): Engine {
    const pipeline = definePipeline("orders").stage("read", () => null);
    const engine = createEngine({ databaseUrl, pipelines: [pipeline], logger: null });
    onTestFinished(() => engine.stop());
    return engine;
  }
});
