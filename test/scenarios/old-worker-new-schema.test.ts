import { testDatabase } from "@lockstep/test-support";
import { SchemaMissingError, SchemaTooNewError } from "lockstep";
import { expect, test } from "vitest";
import { storyEngine } from "./story-engine.ts";
import { storyPipelines } from "./story-pipelines.ts";

const db = testDatabase();
const { errand } = storyPipelines();

test("a worker refuses a schema newer than its code, and writes nothing", async () => {
  await db.query("insert into lockstep.migrations (version, name) values (9999, '9999_from_the_future')");

  const engine = storyEngine(db);
  const refusal = await engine.start().catch((error) => error);
  expect(refusal).toBeInstanceOf(SchemaTooNewError);
  expect(refusal.message).toMatch(
    /^The database has Lockstep schema version 9999, but this code knows only up to \d+\. Update the lockstep packages of this process; nothing was changed\.$/,
  );
  await expect(engine.add(errand, { do: "answer" })).rejects.toThrow(SchemaTooNewError);
  await expect(engine.migrate()).rejects.toThrow(SchemaTooNewError);
  for (const table of ["pipelines", "stages", "workers", "jobs"]) {
    expect(await db.query(`select * from lockstep.${table}`)).toEqual([]);
  }

  await db.query("delete from lockstep.migrations where version = 9999");
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
  expect(await engine.result(id, { timeoutMs: 20_000 })).toEqual({ pid: process.pid });
  expect(await engine.verify()).toEqual([]);
});
