import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../../packages/cli/src/testing/run-cli.ts";
import { aGraphileWorker, graphileWorker } from "./a-graphile-worker.ts";
import { jobsHere } from "./jobs-here.ts";
import { allRows } from "./source-rows.ts";

const db = testDatabase();
const elsewhere = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  for (const one of [db, elsewhere]) await one.query("drop schema if exists graphile_worker cascade");
  await jobs.aPipeline("email", ["send"]);
});

const run = (argv: string[]) =>
  runCli(["import", "graphile-worker", ...argv, "--json", "-q"], { databaseUrl: db.url });

const left = (source: typeof db) =>
  source.query("select payload, attempts, locked_by from graphile_worker._private_jobs order by id");

describe.each([
  ["of the same database", db],
  ["of another database", elsewhere],
])("a graphile-worker %s", (_where, source) => {
  test("hands over what waits, in order, with priority, time, key and queue, and is rid of it", async () => {
    const utils = await aGraphileWorker(source.url);
    const runAt = new Date(Date.now() + 3_600_000);
    await utils.addJob("email", { n: 1 }, { priority: -3 });
    await utils.addJob("email", { n: 2 }, { priority: 100, queueName: "ada" });
    await utils.addJob("email", { n: 3 }, { runAt, jobKey: "once" });
    await utils.addJob("other", { n: 4 });

    const { code, json, stderr } = await run(["--from", source.url, "--yes"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(json()).toMatchObject({
      data: [
        { queue: "email", pipeline: "email", waiting: 2, scheduled: 1, imported: 3, refused: 0 },
        { queue: "other", pipeline: null, waiting: 1, imported: 0 },
      ],
    });
    expect(await jobsHere(db)).toMatchObject([
      { payload: { n: 1 }, priority: 7, status: "pending", tags: ["imported:graphile-worker"] },
      { payload: { n: 2 }, priority: 20, group_key: "ada" },
      { payload: { n: 3 }, status: "scheduled", scheduled_for: runAt, dedup_key: "once" },
    ]);
    expect(await left(source)).toMatchObject([{ payload: { n: 4 } }]);
  });

  test("keeps what runs and what has failed for good, and hands over what waits for a retry", async () => {
    const utils = await aGraphileWorker(source.url);
    const lost = await utils.addJob("email", { n: 1 });
    await utils.permanentlyFailJobs([lost.id], "no more");
    const retried = await utils.addJob("email", { n: 2 });
    await utils.rescheduleJobs([retried.id], { attempts: 2, runAt: new Date(Date.now() + 60_000) });
    await utils.addJob("email", { n: 3 });
    let onStarted: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      onStarted = resolve;
    });
    let finish: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const runner = await (await graphileWorker()).run({
      connectionString: source.url,
      noHandleSignals: true,
      taskList: {
        email: () => {
          onStarted();
          return held;
        },
      },
    });
    await started;

    const { code, json } = await run(["--from", source.url, "--yes"]);
    finish();
    await runner.stop();
    expect(code).toBe(0);
    expect(json()).toMatchObject({ data: [{ retrying: 1, running: 1, waiting: 0, imported: 1 }] });
    expect(await jobsHere(db)).toMatchObject([{ payload: { n: 2 }, status: "scheduled" }]);
    // Its worker may still be about to say that the third has run.
    await expect
      .poll(() => left(source), { timeout: 15_000 })
      .toMatchObject([{ payload: { n: 1 }, locked_by: null }]);
  });

  test("says in a dry run exactly what an import then does, and not one row changes", async () => {
    const payloadSchema = { type: "object", properties: { n: { type: "number", maximum: 2 } } };
    await jobs.aPipeline("email", ["send"], { payloadSchema });
    const utils = await aGraphileWorker(source.url);
    for (const n of [1, 2, 3]) await utils.addJob("email", { n });
    const before = {
      here: await allRows(db, ["lockstep"]),
      there: await allRows(source, ["graphile_worker"]),
    };
    const dry = await run(["--from", source.url, "--dry-run"]);
    expect(await allRows(db, ["lockstep"])).toEqual(before.here);
    expect(await allRows(source, ["graphile_worker"])).toEqual(before.there);
    expect(dry.json()).toMatchObject({ isDryRun: true, data: [{ imported: 2, refused: 1 }] });

    const real = await run(["--from", source.url, "--yes"]);
    expect(real.code).toBe(6);
    expect(real.json()).toEqual({ ...dry.json<object>(), isDryRun: false });
    expect(await left(source)).toEqual([{ payload: { n: 3 }, attempts: 0, locked_by: null }]);
  });

  test("with --keep still has them, as failed for good", async () => {
    const utils = await aGraphileWorker(source.url);
    await utils.addJob("email", { n: 1 }, { jobKey: "once" });
    expect((await run(["--from", source.url, "--yes", "--keep"])).code).toBe(0);
    expect(
      await source.query("select key, last_error, is_available from graphile_worker._private_jobs"),
    ).toEqual([{ key: null, last_error: "taken over by Lockstep", is_available: false }]);
    expect((await run(["--from", source.url, "--yes"])).json()).toMatchObject({ data: [{ imported: 0 }] });
  });
});

test("a crontab item is named, since only the code knows its line", async () => {
  await aGraphileWorker(db.url);
  const runner = await (await graphileWorker()).run({
    connectionString: db.url,
    noHandleSignals: true,
    crontab: "0 4 * * * email ?id=nightly {n:1}",
    taskList: { email: () => {} },
  });
  await runner.stop();
  const { code, stderr } = await runCli(["import", "graphile-worker", "--yes"], { databaseUrl: db.url });
  expect(code).toBe(0);
  expect(stderr).toContain('The crontab item "nightly" is in your code');
  expect(stderr).toContain('await engine.schedule("nightly", pipeline, { cron, payload })');
});

test.each([
  ["without graphile-worker", null, 4, "There is no graphile-worker"],
  ["of another version", "insert into graphile_worker.migrations values (21)", 5, "knows 20"],
])("a database %s is refused", async (_what, statement, code, sentence) => {
  if (statement !== null) {
    await aGraphileWorker(db.url);
    await db.query(statement);
  }
  const ended = await run(["--yes"]);
  expect(ended.code).toBe(code);
  expect(ended.stderr).toContain(sentence);
});
