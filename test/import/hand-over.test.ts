import { testDatabase, untilBlocked } from "@lockstep/test-support";
import { createEngine, definePipeline } from "lockstep";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { runCli } from "../../packages/cli/src/testing/run-cli.ts";
import { cliProgram, spawned } from "../../packages/cli/src/testing/spawn-cli.ts";
import { jobsHere } from "./jobs-here.ts";
import { sourcesUnderTest } from "./source-under-test.ts";
import { TwoWorkers } from "./two-workers.ts";

const db = testDatabase();
const elsewhere = testDatabase();
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const lockKey = 4711;

/** A worker of Lockstep that tells the number of every job it runs. */
function aWorker(onJob: (n: number) => void) {
  const email = definePipeline<{ n: number }>("email").stage("send", { processors: 50 }, ({ payload }) =>
    onJob(payload.n),
  );
  const engine = createEngine({ databaseUrl: db.url, pipelines: [email], logger: null });
  onTestFinished(() => engine.stop());
  return engine;
}

describe.each(sourcesUnderTest)("$name", (source) => {
  beforeEach(async () => {
    await db.reset();
    for (const one of [db, elsewhere]) await source.install(one);
    // The pipeline is known, and nobody works yet.
    const engine = aWorker(() => {});
    await engine.start();
    await engine.stop();
  });

  const argv = (from: string, ...more: string[]) => ["import", source.name, "--from", from, ...more];
  const importAll = (from: string, ...more: string[]) =>
    runCli(argv(from, "--yes", "--json", "-q", ...more), { databaseUrl: db.url });

  test.each([
    ["the same database", db, 10_000],
    ["another database", elsewhere, 3_000],
  ])(
    "with workers of both queues at work, each of many jobs of %s runs once",
    {
      timeout: 120_000,
    },
    async (_where, from, count) => {
      const workers = new TwoWorkers(count);
      await source.add(from, numbers(count));
      const stop = await source.work(from, workers.runThere);
      const engine = aWorker(workers.runHere);
      await engine.start();
      await workers.begun;

      const { code, stderr } = await importAll(from.url);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      await workers.all;
      await stop();
      await engine.stop();
      expect(workers.wrong).toEqual([]);
      expect(workers.here).toBeGreaterThan(0);
      expect(workers.here + workers.there).toBe(count);
      expect(await source.numbers(from)).toEqual([]);
    },
  );

  test("killed while it adds, it leaves jobs that nobody runs there, and a second import takes them", async () => {
    await source.add(elsewhere, numbers(30));
    const blocker = await db.connect();
    await blocker.query("begin");
    await blocker.query("lock table lockstep.jobs in exclusive mode");
    await killedWhenBlocked(db, argv(elsewhere.url, "--yes", "--batch", "10"));
    await blocker.query("rollback");
    expect(await jobsHere(db)).toEqual([]);
    expect(await source.numbers(elsewhere)).toEqual(numbers(30));

    const ranThere: number[] = [];
    const dry = await importAll(elsewhere.url, "--dry-run");
    expect(dry.json()).toMatchObject({ data: [{ waiting: 20, held: 10, imported: 30 }] });
    const ended = new Promise<void>((resolve) => {
      void source.work(elsewhere, async (n) => {
        ranThere.push(n);
        if (ranThere.length === 20) resolve();
      });
    });
    await ended;
    expect((await importAll(elsewhere.url)).json()).toMatchObject({ data: [{ held: 10, imported: 10 }] });
    const here = (await jobsHere(db)).map(({ payload }) => payload.n);
    expect([...here, ...ranThere].sort((one, other) => one - other)).toEqual(numbers(30));
  });

  test("killed before the source lets go, a second import does not run again what has run here", async () => {
    await source.add(elsewhere, numbers(30));
    await elsewhere.query(
      `create or replace function public.wait_for_test() returns trigger language plpgsql as
       'begin perform pg_advisory_xact_lock(${lockKey}); return old; end'`,
    );
    await elsewhere.query(
      `create trigger wait_for_test before delete on ${source.table} for each row execute function public.wait_for_test()`,
    );
    const blocker = await elsewhere.connect();
    await blocker.query("select pg_advisory_lock($1)", [lockKey]);
    await killedWhenBlocked(elsewhere, argv(elsewhere.url, "--yes", "--batch", "10"));
    await blocker.query("select pg_advisory_unlock($1)", [lockKey]);
    await elsewhere.query(`drop trigger wait_for_test on ${source.table}`);
    expect(await jobsHere(db)).toHaveLength(10);
    expect(await source.numbers(elsewhere)).toEqual(numbers(30));

    const ran: number[] = [];
    const engine = aWorker((n) => ran.push(n));
    const ids = (await jobsHere(db)).map(({ id }) => id);
    await engine.start();
    await Promise.all(ids.map((id) => engine.result(id)));
    await engine.stop();
    const again = await importAll(elsewhere.url);
    expect(again.json()).toMatchObject({ data: [{ held: 10, waiting: 20, imported: 30 }] });
    expect(await source.numbers(elsewhere)).toEqual([]);
    const waiting = (await jobsHere(db)).map(({ payload }) => payload.n);
    expect(ran).toHaveLength(10);
    expect([...ran, ...waiting].sort((one, other) => one - other)).toEqual(numbers(30));
  });

  test("killed in the middle of the same database, it has changed nothing", async () => {
    await source.add(db, numbers(30));
    const blocker = await db.connect();
    await blocker.query("begin");
    await blocker.query("lock table lockstep.jobs in exclusive mode");
    await killedWhenBlocked(db, argv(db.url, "--yes"));
    await blocker.query("rollback");
    expect(await jobsHere(db)).toEqual([]);
    const { json } = await importAll(db.url);
    expect(json()).toMatchObject({ data: [{ held: 0, imported: 30 }] });
    const here = (await jobsHere(db)).map(({ payload }) => payload.n);
    expect(here.sort((one, other) => one - other)).toEqual(numbers(30));
  });
});

/** Runs the command as a process, waits until its statement waits for a lock in this database, and kills it with SIGKILL. */
async function killedWhenBlocked(where: typeof db, argv: readonly string[]): Promise<void> {
  const [program = "", ...rest] = cliProgram;
  const cli = spawned(program, [...rest, ...argv], { DATABASE_URL: db.url });
  onTestFinished(() => void cli.child.kill("SIGKILL"));
  await untilBlocked(where);
  cli.child.kill("SIGKILL");
  expect((await cli.ended).signal).toBe("SIGKILL");
  // Its sessions wait on, and would find out later that nobody is there.
  for (const one of [db, elsewhere]) {
    await one.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lockstep import' and datname = current_database()",
    );
  }
}
