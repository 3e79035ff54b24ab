import { testDatabase } from "@lockstep/test-support";
import { SchemaMissingError, SchemaTooNewError } from "lockstep";
import { expect, test } from "vitest";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";

const db = testDatabase();
const { errand } = storyPipelines();

const migrated = (version: number, isBreaking: boolean) =>
  db.query(
    "insert into lockstep.migrations (version, name, digest, is_breaking) values ($1, 'from the future', '', $2)",
    [version, isBreaking],
  );

test("a fresh process works with a newer schema that does not break its code", async () => {
  await migrated(9998, false);
  const engine = storyEngine(db);
  expect(await engine.migrate()).toMatchObject({ migrations: [], functions: false, version: 9998 });
  await engine.start();
  const { id } = await engine.add(errand, { do: "answer" });
  expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
  expect((await engine.diagnose()).find(({ check }) => check === "schema")).toMatchObject({ severity: "ok" });
  await engine.stop();
  await db.reset();
});

test("a worker refuses a newer schema that breaks its code, and writes nothing", async () => {
  await migrated(9999, true);
  const engine = storyEngine(db);
  const refusal = await engine.start().catch((error) => error);
  expect(refusal).toBeInstanceOf(SchemaTooNewError);
  expect(refusal.message).toMatch(
    /^The database has Lockstep schema version 9999, which code before version 9999 cannot use, and this code is of version \d+\. Update the Lockstep packages of this process\. Nothing was changed\.$/,
  );
  await expect(engine.add(errand, { do: "answer" })).rejects.toThrow(SchemaTooNewError);
  await expect(engine.migrate()).rejects.toThrow(SchemaTooNewError);
  for (const table of ["pipelines", "stages", "workers", "jobs"]) {
    expect(await db.query(`select * from lockstep.${table}`)).toEqual([]);
  }
});

test("a worker that finds no schema says how to make it, and works once it is made", async () => {
  await db.query("drop schema lockstep cascade");

  const early = storyEngine(db);
  const refusal = await early.start().catch((error) => error);
  expect(refusal).toBeInstanceOf(SchemaMissingError);
  expect(refusal.message).toBe(
    "The database has no Lockstep schema yet: run `await engine.migrate()` or `lockstep migrate` once.",
  );

  const engine = storyEngine(db);
  await engine.migrate();
  await engine.start();
  const { id } = await engine.add(errand, { do: "answer" });
  expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
  expect(await engine.verify()).toEqual([]);
});
