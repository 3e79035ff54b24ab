import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { JobFactory, testDatabase, untilBlocked } from "@lockstep/test-support";
import { createEngine, definePipeline } from "lockstep";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { runCli } from "../../packages/cli/src/testing/run-cli.ts";
import { cliProgram, spawned } from "../../packages/cli/src/testing/spawn-cli.ts";
import { type BullMqStore, bullMqOnPostgres, bullMqOnRedis } from "./bullmq-store.ts";
import { findRedis } from "./find-redis.ts";
import { jobsHere } from "./jobs-here.ts";
import { allRows } from "./source-rows.ts";
import { TwoWorkers } from "./two-workers.ts";

const db = testDatabase();
const elsewhere = testDatabase();
const jobs = new JobFactory(db);
// Where the command finds a project's BullMQ.
const project = fileURLToPath(new URL("../../packages/cli/", import.meta.url));
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

beforeEach(async () => {
  await db.reset();
});

/** A queue's name of its own for each test: stores are shared. */
let made = 0;
async function aQueue(): Promise<string> {
  made += 1;
  await jobs.aPipeline(`video-${made}`, ["convert"]);
  return `video-${made}`;
}

/** Lets an add of the job with this number wait, until the function that it returns is called. */
async function blockAt(n: number): Promise<() => Promise<void>> {
  await db.query(
    `create or replace function public.wait_for_test() returns trigger language plpgsql as
     'begin if (new.payload ->> ''n'')::int = ${n} then perform pg_advisory_xact_lock(4712); end if; return new; end'`,
  );
  await db.query(
    "create trigger wait_for_test before insert on lockstep.jobs for each row execute function public.wait_for_test()",
  );
  const blocker = await db.connect();
  await blocker.query("select pg_advisory_lock(4712)");
  return async () => {
    await blocker.query("select pg_advisory_unlock(4712)");
    await db.query("drop trigger wait_for_test on lockstep.jobs");
  };
}

describe.each([
  ["Redis", findRedis() === null, () => bullMqOnRedis()],
  ["PostgreSQL", false, () => bullMqOnPostgres(elsewhere)],
])("BullMQ on %s", (_store, isMissing, open) => {
  describe.skipIf(isMissing)("with its server", () => {
    let store: BullMqStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.stop());

    const run = (argv: string[]) =>
      runCli(["import", "bullmq", "--from", store.url, ...argv, "--json", "-q"], {
        databaseUrl: db.url,
        cwd: project,
      });
    const left = async (name: string) =>
      (await store.queue(name).getJobs(["waiting", "prioritized", "delayed"])).map(({ id }) => id);

    test("hands over what waits, in order, with priority, time and keys, is rid of it, and goes on", async () => {
      const name = await aQueue();
      const queue = store.queue(name);
      await queue.add("convert", { n: 1 });
      await queue.add("convert", { n: 2 });
      await queue.add("convert", { n: 3 }, { priority: 4 });
      await queue.add("convert", { n: 4 }, { delay: 3_600_000, deduplication: { id: "once" } });
      await queue.add("convert", { n: 5 }, { jobId: "b.mov", delay: 7_200_000 });

      const { code, stderr, json } = await run(["--yes"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(json()).toMatchObject({
        source: "bullmq",
        data: [{ queue: name, pipeline: name, waiting: 3, scheduled: 2, imported: 5, refused: 0 }],
      });
      const here = await jobsHere(db);
      expect(here).toMatchObject([
        { payload: { n: 3 }, priority: 14, tags: ["imported:bullmq", "name:convert"] },
        { payload: { n: 1 }, priority: 10, status: "pending" },
        { payload: { n: 2 } },
        { payload: { n: 4 }, status: "scheduled", dedup_key: "once" },
        { payload: { n: 5 }, dedup_key: "b.mov" },
      ]);
      const dueInMs = (here[3]?.scheduled_for?.getTime() ?? 0) - Date.now();
      expect(dueInMs).toBeGreaterThan(3_000_000);
      expect(dueInMs).toBeLessThanOrEqual(3_600_000);
      expect(await left(name)).toEqual([]);
      expect(await queue.isPaused()).toBe(false);
    });

    test("says in a dry run exactly what an import then does, and nothing changes", async () => {
      const name = await aQueue();
      const payloadSchema = { type: "object", properties: { n: { type: "number", maximum: 12 } } };
      await jobs.aPipeline(name, ["convert"], { payloadSchema });
      const queue = store.queue(name);
      await queue.addBulk(numbers(15).map((n) => ({ name: n % 2 ? "odd" : "even", data: { n } })));
      await queue.close();
      const before = { here: await allRows(db, ["lockstep"]), there: await store.everything() };
      const dry = await run(["--dry-run", "--batch", "2"]);
      expect(await allRows(db, ["lockstep"])).toEqual(before.here);
      expect(await store.everything()).toEqual(before.there);
      expect(dry.json()).toMatchObject({ isDryRun: true, data: [{ imported: 12, refused: 3 }] });

      const real = await run(["--yes", "--batch", "2"]);
      expect(real.code).toBe(6);
      expect(real.json()).toEqual({ ...dry.json<object>(), isDryRun: false });
      expect((await jobsHere(db)).map(({ payload }) => payload.n)).toEqual(numbers(12));
      expect(await left(name)).toHaveLength(3);
    });

    test("hands over only jobs of a name, if it is given", async () => {
      const name = await aQueue();
      await store.queue(name).addBulk([
        { name: "convert", data: { n: 1 } },
        { name: "delete", data: { n: 2 } },
        { name: "convert", data: { n: 3 } },
      ]);
      expect((await run(["--yes", "--name", "convert", "--batch", "1"])).code).toBe(0);
      expect((await jobsHere(db)).map(({ payload }) => payload.n)).toEqual([1, 3]);
      expect(await left(name)).toHaveLength(1);
    });

    test("hands over its job schedulers, and keeps those that have no place here", async () => {
      const name = await aQueue();
      const queue = store.queue(name);
      const template = { name: "convert", data: { n: 1 } };
      await queue.upsertJobScheduler("nightly", { pattern: "0 3 * * *", tz: "Europe/Berlin" }, template);
      await queue.upsertJobScheduler("hourly", { every: 3_600_000 }, template);
      await queue.upsertJobScheduler("odd", { every: 5_400_000 }, template);
      await queue.upsertJobScheduler("few", { pattern: "0 3 * * *", limit: 3 }, template);

      const { code, json, stderr } = await run(["--yes"]);
      expect({ code, stderr }).toEqual({ code: 6, stderr: "" });
      const { schedules } = json<{ schedules: { name: string; imported: boolean; reason: string }[] }>();
      expect(schedules.sort((one, other) => (one.name < other.name ? -1 : 1))).toMatchObject([
        {
          name: `${name}:few`,
          imported: false,
          reason: expect.stringContaining("a limit, a start or an end date"),
        },
        { name: `${name}:hourly`, imported: true, cron: "0 * * * *" },
        { name: `${name}:nightly`, imported: true, cron: "0 3 * * *", timeZone: "Europe/Berlin" },
        {
          name: `${name}:odd`,
          imported: false,
          reason: 'No cron pattern says "every 5400000 ms".',
        },
      ]);
      expect(await db.call("list_schedules")).toMatchObject([
        { name: `${name}:hourly` },
        { name: `${name}:nightly`, time_zone: "Europe/Berlin", tags: ["imported:bullmq"] },
      ]);
      const kept = (await queue.getJobSchedulers(0, -1, true)).map(({ key }) => key).sort();
      expect(kept).toEqual(["few", "odd"]);
    });

    test("keeps the jobs of a flow and what is running", async () => {
      const name = await aQueue();
      const queue = store.queue(name);
      await queue.add("convert", { n: 1 });
      let onStarted: () => void = () => {};
      const started = new Promise<void>((resolve) => {
        onStarted = resolve;
      });
      let finish: () => void = () => {};
      const held = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const worker = store.worker(name, () => {
        onStarted();
        return held;
      });
      await started;
      const parent = await queue.add("parent", { n: 2 });
      await queue.add("child", { n: 3 }, { parent: { id: parent.id ?? "", queue: queue.qualifiedName } });
      await queue.add("convert", { n: 4 });

      const { code, json } = await run(["--yes"]);
      finish();
      await worker.close();
      expect(code).toBe(6);
      expect(json()).toMatchObject({ data: [{ running: 1, imported: 1 }] });
      const { data } = json<{ data: { refusals: { reason: string }[] }[] }>();
      for (const { reason } of data[0]?.refusals ?? []) expect(reason).toContain("belongs to a flow");
      expect((await jobsHere(db)).map(({ payload }) => payload.n)).toEqual([4]);
    });

    test("with workers of both queues at work, each job runs once", { timeout: 120_000 }, async () => {
      const name = await aQueue();
      const count = 1_000;
      const workers = new TwoWorkers(count);
      await store.queue(name).addBulk(numbers(count).map((n) => ({ name: "convert", data: { n } })));
      const video = definePipeline<{ n: number }>(name).stage("convert", { processors: 50 }, ({ payload }) =>
        workers.runHere(payload.n),
      );
      const engine = createEngine({ databaseUrl: db.url, pipelines: [video], logger: null });
      onTestFinished(() => engine.stop());
      await engine.start();
      const worker = store.worker(name, ({ n }) => workers.runThere(n));
      await workers.begun;
      const { code, stderr } = await run(["--yes", "--queue", name, "--batch", "100"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      await workers.all;
      await worker.close();
      await engine.stop();
      expect(workers.wrong).toEqual([]);
      expect(workers.here).toBeGreaterThan(0);
      expect(workers.here + workers.there).toBe(count);
    });

    test("killed in the middle, it leaves the queue paused, and a second import goes on", async () => {
      const name = await aQueue();
      const queue = store.queue(name);
      await queue.addBulk(numbers(30).map((n) => ({ name: "convert", data: { n } })));
      const unblock = await blockAt(15);
      const [program = "", ...rest] = cliProgram;
      const argv = [
        ...rest,
        "import",
        "bullmq",
        "--from",
        store.url,
        "--queue",
        name,
        "--yes",
        "--batch",
        "10",
      ];
      const cli = spawned(program, argv, { DATABASE_URL: db.url }, project);
      onTestFinished(() => void cli.child.kill("SIGKILL"));
      await untilBlocked(db);
      cli.child.kill("SIGKILL");
      expect((await cli.ended).signal).toBe("SIGKILL");
      await db.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lockstep import' and datname = current_database()",
      );
      await unblock();
      expect(await queue.isPaused()).toBe(true);
      expect(await jobsHere(db)).toHaveLength(10);
      expect(await left(name)).toHaveLength(20);

      const again = await run(["--yes", "--queue", name]);
      expect(again.json()).toMatchObject({
        data: [{ imported: 20 }],
        remarks: [`The queue ${name} was paused before, and stays so until \`queue.resume()\`.`],
      });
      expect((await jobsHere(db)).map(({ payload }) => payload.n)).toEqual(numbers(30));
      expect(await left(name)).toEqual([]);
    });

    test("stops if somebody resumes the queue, and cancels what a worker there has taken", async () => {
      const name = await aQueue();
      const queue = store.queue(name);
      await queue.addBulk(numbers(30).map((n) => ({ name: "convert", data: { n } })));
      const unblock = await blockAt(15);
      const importing = run(["--yes", "--queue", name, "--batch", "10"]);
      await untilBlocked(db);
      let finish: () => void = () => {};
      const held = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const worker = store.worker(name, () => held);
      const active = new Promise<void>((resolve) => worker.once("active", () => resolve()));
      await queue.resume();
      await active;
      await queue.pause();
      await unblock();
      const { code, json } = await importing;
      finish();
      await worker.close();
      expect(code).toBe(6);
      expect(json()).toMatchObject({
        data: [
          { imported: 29, refused: 1, refusals: [{ reason: expect.stringContaining("cancelled here") }] },
        ],
      });
      const here = (await jobsHere(db)).map(({ payload }) => payload.n);
      // The first job of the batch that was being added is the one that the worker has taken.
      expect(here).toEqual(numbers(30).filter((n) => n !== 11));

      await queue.resume();
      await queue.addBulk(numbers(30).map((n) => ({ name: "convert", data: { n } })));
      const unblockAgain = await blockAt(15);
      const again = run(["--yes", "--queue", name, "--batch", "10"]);
      await untilBlocked(db);
      await queue.resume();
      await unblockAgain();
      const ended = await again;
      expect(ended.code).toBe(5);
      expect(ended.stderr).toContain("import.resumed");
      expect(await left(name)).toHaveLength(10);
    });

    test("a job that is here already leaves BullMQ, and is not added again", async () => {
      const name = await aQueue();
      const queue = store.queue(name);
      await queue.add("convert", { n: 1 });
      await queue.pause();
      const dry = await run(["--dry-run", "--queue", name]);
      expect(dry.json()).toMatchObject({ data: [{ imported: 1 }] });
      await run(["--yes", "--queue", name]);
      const [job] = await jobsHere(db);
      // As it was before the source let it go.
      await store.queue(name).add("convert", { n: 1 }, { jobId: "same", timestamp: 1_800_000_000_000 });
      await run(["--yes", "--queue", name]);
      await store.queue(name).add("convert", { n: 1 }, { jobId: "same", timestamp: 1_800_000_000_000 });
      expect((await run(["--yes", "--queue", name])).json()).toMatchObject({
        data: [{ imported: 1, refused: 0 }],
      });
      expect(await jobsHere(db)).toHaveLength(2);
      expect((await jobsHere(db)).map(({ id }) => id)).toContain(job?.id);
      expect(await left(name)).toEqual([]);
    });
  });
});

test("a server that does not answer ends with 3", async () => {
  await aQueue();
  const argv = ["import", "bullmq", "--from", "redis://127.0.0.1:1", "--yes"];
  const { code, stderr } = await runCli(argv, { databaseUrl: db.url, cwd: project });
  expect(code).toBe(3);
  expect(stderr).toContain("The server of BullMQ cannot be reached.");
});

test("a folder without BullMQ is told what to install", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-import-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const argv = ["import", "bullmq", "--from-env", "REDIS_URL", "--yes"];
  const env = { REDIS_URL: "redis://127.0.0.1:1" };
  const { code, stderr } = await runCli(argv, { databaseUrl: db.url, cwd: folder, env });
  expect(code).toBe(1);
  expect(stderr).toContain("npm install bullmq ioredis");
});

test.each([
  [["--from", "http://127.0.0.1"], "Where is BullMQ?"],
  [["--from-env", "NOWHERE"], "The variable NOWHERE of --from-env is not set."],
  [["--from", "redis://127.0.0.1", "--from-env", "X"], "Give --from or --from-env, not both."],
])("%j is refused", async (argv, sentence) => {
  const ended = await runCli(["import", "bullmq", ...argv], { databaseUrl: db.url, cwd: project });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(sentence);
});
