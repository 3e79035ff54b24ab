import { testDatabase } from "@lockstep/test-support";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { systemClock } from "./clock.ts";
import { createEngine, type Engine } from "./engine.ts";
import type { EngineOptions } from "./engine-config.ts";

const db = testDatabase();
beforeEach(() => db.reset());

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop();
});

function anEngine(options: Partial<EngineOptions> = {}): Engine {
  const engine = createEngine({ databaseUrl: db.url, ...options });
  engines.push(engine);
  return engine;
}

async function troubles(engine: Engine): Promise<string[]> {
  const findings = await engine.diagnose();
  // The server of the tests keeps nothing through a crash.
  const careless = ["fsync", "full_page_writes", "synchronous_commit"];
  return findings
    .filter(({ severity, check }) => severity !== "ok" && !careless.includes(check))
    .map(({ check }) => check);
}

test("the way to the database, the schema and the indexes are looked at, and all is well", async () => {
  const findings = await anEngine().diagnose();
  const checks = findings.map(({ check }) => check);
  expect(checks).toEqual(
    expect.arrayContaining(["round trip", "clock", "encryption", "pooler", "listen and notify"]),
  );
  expect(checks).toEqual(expect.arrayContaining(["schema", "xmin horizon", "missing indexes"]));
  expect(await troubles(anEngine())).toEqual([]);
});

test("an index that somebody dropped is missed, and what is printed makes it again", async () => {
  const engine = anEngine();
  await db.query("drop index lockstep.held_by_worker");
  const missing = (await engine.diagnose()).filter(({ check }) => check === "missing indexes");
  expect(missing).toMatchObject([
    { severity: "bad", finding: expect.stringContaining("lockstep.held_by_worker is missing") },
  ]);
  await db.query(missing[0]?.repairSql ?? "");
  expect(await troubles(engine)).toEqual([]);
});

test("a clock that differs from the server's is told of", async () => {
  const slow = { ...systemClock, now: () => new Date(Date.now() - 60_000) };
  expect(await troubles(anEngine({ clock: slow }))).toEqual(["clock"]);
});

test("a database without the schema is told to migrate, and nothing else is asked of it", async () => {
  const url = new URL(db.url);
  url.pathname = `${url.pathname}_empty`;
  await db.query(`create database ${url.pathname.slice(1)} template template0`);
  onTestFinished(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.stop()));
    await db.query(`drop database ${url.pathname.slice(1)} with (force)`);
  });
  const engine = anEngine({ databaseUrl: url.href });
  const [schema] = (await engine.diagnose()).slice(-1);
  expect(schema).toMatchObject({
    check: "schema",
    severity: "bad",
    finding: "The database has no Lockstep schema yet",
    advice: "run `await engine.migrate()` or `lockstep migrate` once.",
  });
});

test("a database that does not answer is told in one sentence", async () => {
  const engine = anEngine({ databaseUrl: "postgres://nobody@127.0.0.1:1/none" });
  await expect(engine.diagnose()).rejects.toThrow("PostgreSQL does not answer");
});
