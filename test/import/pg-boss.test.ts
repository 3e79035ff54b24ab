import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../../packages/cli/src/testing/run-cli.ts";
import { aBoss } from "./a-boss.ts";
import { jobsHere } from "./jobs-here.ts";
import { allRows } from "./source-rows.ts";

const db = testDatabase();
const elsewhere = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  for (const one of [db, elsewhere]) await one.query("drop schema if exists pgboss cascade");
  await jobs.aPipeline("email", ["send"]);
});

const run = (argv: string[], options: Parameters<typeof runCli>[1] = {}) =>
  runCli(["import", "pg-boss", ...argv], { databaseUrl: db.url, ...options });

const left = (source: typeof db) =>
  source.query<{ n: number }>("select (data ->> 'n')::int as n from pgboss.job order by 1");

/** The same server, behind one where nobody listens. */
const amongHosts = (url: string) => url.replace("@", "@127.0.0.1:1,");

test("both databases may be named with several hosts, as everywhere else", async () => {
  const boss = await aBoss(elsewhere.url);
  await boss.send("email", { n: 1 });
  const argv = ["--from", amongHosts(elsewhere.url), "--yes"];
  expect(await run(argv, { databaseUrl: amongHosts(db.url) })).toMatchObject({ code: 0 });
  expect(await jobsHere(db)).toMatchObject([{ payload: { n: 1 } }]);
  expect(await left(elsewhere)).toEqual([]);
});

test("a URL that is none of PostgreSQL's is refused, and not repeated", async () => {
  const { code, stderr } = await run(["--from", "mysql://user:hidden@127.0.0.1/db", "--yes"]);
  expect(code).toBe(2);
  expect(stderr).toContain("The database of pg-boss cannot be used: databaseUrl must begin with postgres://");
  expect(stderr).not.toContain("hidden");
});

describe.each([
  ["of the same database", db],
  ["of another database", elsewhere],
])("a pg-boss %s", (_where, source) => {
  test("hands over what waits, in order, with priority, time and keys, and is rid of it", async () => {
    const boss = await aBoss(source.url, ["email", "mine"]);
    await boss.createQueue("turns", { policy: "singleton" });
    await jobs.aPipeline("turns", ["take"]);
    const later = new Date(Date.now() + 3_600_000);
    await boss.send("email", { n: 1 }, { priority: 3 });
    await boss.send("email", { n: 2 }, { priority: -100 });
    await boss.send("email", { n: 3 }, { startAfter: later, singletonKey: "once" });
    await boss.send("turns", { n: 4 }, { singletonKey: "ada" });
    await boss.send("mine", { n: 5 });

    const { code, stderr, json } = await run(["--from", source.url, "--yes", "--json", "-q"]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      source: "pg-boss",
      isDryRun: false,
      data: [
        { queue: "email", pipeline: "email", waiting: 2, scheduled: 1, retrying: 0, imported: 3, refused: 0 },
        { queue: "mine", pipeline: null, waiting: 1, imported: 0 },
        { queue: "turns", pipeline: "turns", waiting: 1, imported: 1 },
      ],
    });
    const tags = ["imported:pg-boss"];
    expect(await jobsHere(db)).toMatchObject([
      { payload: { n: 1 }, pipeline: "email", status: "pending", priority: 7, tags },
      { payload: { n: 2 }, priority: 20 },
      { payload: { n: 4 }, pipeline: "turns", group_key: "ada", dedup_key: null },
      { payload: { n: 3 }, status: "scheduled", scheduled_for: later, dedup_key: "once" },
    ]);
    expect(await left(source)).toEqual([{ n: 5 }]);
  });

  test("keeps what runs, and hands over what waits for its next retry", async () => {
    const boss = await aBoss(source.url);
    await boss.send("email", { n: 1 }, { retryLimit: 3, retryDelay: 3_600 });
    const [failing] = await boss.fetch("email");
    await boss.fail("email", failing?.id ?? "");
    await boss.send("email", { n: 2 });
    const [running] = await boss.fetch("email");

    const { code, stderr, stdout } = await run(["--from", source.url, "--yes"]);
    expect(code).toBe(0);
    expect(stderr).toContain(
      "1 job of email is running in pg-boss and stayed there; if one of them waits again, run this once more.",
    );
    expect(stdout).toContain("email\temail\t0\t0\t1\t0\t1\t1\t0");
    expect(await jobsHere(db)).toMatchObject([{ payload: { n: 1 }, status: "scheduled" }]);
    expect(await left(source)).toEqual([{ n: 2 }]);
    await boss.complete("email", running?.id ?? "");
  });

  test("keeps a job that a flow waits for, and the jobs that wait for it", async () => {
    const boss = await aBoss(source.url);
    const [child] = [await boss.send("email", { n: 1 })];
    await source.query("update pgboss.job set blocking = true where id = $1", [child]);
    await boss.send("email", { n: 2 });
    const { json } = await run(["--from", source.url, "--yes", "--json", "-q"]);
    expect(json()).toMatchObject({ data: [{ bound: 1, waiting: 1, imported: 1 }] });
    expect(await left(source)).toEqual([{ n: 1 }]);
  });

  test("says in a dry run exactly what an import then does, and not one row changes", async () => {
    const payloadSchema = { type: "object", properties: { n: { type: "number", maximum: 3 } } };
    await jobs.aPipeline("email", ["send"], { payloadSchema });
    const boss = await aBoss(source.url, ["email", "mine"]);
    for (const n of [1, 2, 3, 4, 5]) await boss.send("email", { n }, { priority: n });
    await boss.send("mine", { n: 6 });
    await boss.schedule("email", "0 6 * * *", { n: 3 }, { tz: "Europe/Berlin" });
    const before = { here: await allRows(db, ["lockstep"]), there: await allRows(source, ["pgboss"]) };

    const dry = await run(["--from", source.url, "--dry-run", "--json", "-q"]);
    expect(dry.code).toBe(0);
    expect(await allRows(db, ["lockstep"])).toEqual(before.here);
    expect(await allRows(source, ["pgboss"])).toEqual(before.there);
    expect(dry.json()).toMatchObject({
      isDryRun: true,
      data: [
        {
          queue: "email",
          imported: 3,
          refused: 2,
          refusals: [{ reason: expect.stringContaining("n") }, { reason: expect.stringContaining("n") }],
        },
        { queue: "mine", pipeline: null },
      ],
      schedules: [{ name: "email", imported: true }],
    });

    const real = await run(["--from", source.url, "--yes", "--json", "-q"]);
    expect(real.code).toBe(6);
    expect(real.json()).toEqual({ ...dry.json<object>(), isDryRun: false });
    expect((await jobsHere(db)).map(({ payload }) => payload.n)).toEqual([1, 2, 3]);
    expect(await left(source)).toEqual([{ n: 4 }, { n: 5 }, { n: 6 }]);
    const after = await allRows(source, ["pgboss"]);
    // What was refused is as it was, to the microsecond.
    for (const row of after["pgboss.job_common"]?.split("\n") ?? []) {
      expect(before.there["pgboss.job_common"]?.split("\n")).toContain(row);
    }
  });

  test("hands over its schedules, and keeps what has no place here", async () => {
    const boss = await aBoss(source.url);
    await jobs.aPipeline("report", ["write"]);
    await boss.createQueue("report");
    await boss.schedule("email", "0 6 * * *", { n: 1 }, { tz: "Europe/Berlin", priority: 2 });
    await boss.schedule("email", "*/5 * * * *", { n: 2 }, { key: "often" });
    await boss.schedule("report", "0 7 * * *", { n: 3 });
    await boss.schedule("report", "FREQ=WEEKLY;BYDAY=MO", { n: 4 }, { key: "weekly" });
    const taken = { p_name: "report", p_pipeline: "report", p_cron: "1 1 * * *" };
    await db.value("set_schedule", taken);

    const { code, json, stdout } = await run(["--from", source.url, "--yes", "--json", "-q"]);
    expect(stdout).not.toBe("");
    expect(code).toBe(6);
    expect(json()).toMatchObject({
      schedules: [
        { name: "email", imported: true, cron: "0 6 * * *", timeZone: "Europe/Berlin" },
        { name: "email:often", imported: true },
        { name: "report", imported: false, reason: "There is another schedule report here." },
        { name: "report:weekly", imported: false, reason: expect.stringContaining("recurrence rule") },
      ],
    });
    const here = await db.call("list_schedules");
    expect(here).toMatchObject([
      {
        name: "email",
        cron: "0 6 * * *",
        time_zone: "Europe/Berlin",
        priority: 8,
        tags: ["imported:pg-boss"],
      },
      { name: "email:often", cron: "*/5 * * * *" },
      { name: "report", cron: "1 1 * * *" },
    ]);
    expect(await source.query("select name, key from pgboss.schedule order by name, key")).toEqual([
      { name: "report", key: "" },
      { name: "report", key: "weekly" },
    ]);
  });

  test("keeps all of a batch that a full pipeline refuses, for its own workers", async () => {
    await jobs.aPipeline("email", ["send"], { maxPending: 2 });
    const boss = await aBoss(source.url);
    for (const n of [1, 2, 3]) await boss.send("email", { n });
    const { code, stderr } = await run(["--from", source.url, "--yes"]);
    expect(code).toBe(5);
    expect(stderr).toContain("pipeline.full");
    expect(await jobsHere(db)).toEqual([]);
    expect(await boss.fetch("email", { batchSize: 5 })).toHaveLength(3);
  });

  test("with --keep still has them, as cancelled", async () => {
    const boss = await aBoss(source.url);
    await boss.send("email", { n: 1 });
    expect((await run(["--from", source.url, "--yes", "--keep"])).code).toBe(0);
    expect(await source.query("select state, blocked, output from pgboss.job")).toEqual([
      { state: "cancelled", blocked: false, output: { takenOverBy: "lockstep" } },
    ]);
    const again = await run(["--from", source.url, "--yes", "--json", "-q"]);
    expect(again.json()).toMatchObject({ data: [{ waiting: 0, imported: 0 }] });
    expect(await jobsHere(db)).toHaveLength(1);
  });
});

test("a job whose dedup key is live here stays in pg-boss and is named", async () => {
  const boss = await aBoss(db.url);
  const here = await jobs.aPendingJob({ pipeline: "email", dedupKey: "once" });
  await boss.send("email", { n: 1 }, { singletonKey: "once" });
  const { code, stdout } = await run(["--yes"]);
  expect(code).toBe(6);
  expect(stdout).toContain(`Job ${here}, which is live here, has the same dedup key "once".`);
  expect(await left(db)).toEqual([{ n: 1 }]);
});

test("it asks first, and without a yes nothing happens", async () => {
  const boss = await aBoss(db.url);
  await boss.send("email", { n: 1 });
  const no = await run([], { columns: 100, stdin: "no\n" });
  expect(no.stderr).toContain("Take over 1 job and 0 schedules from pg-boss? [y/N] Nothing was changed.");
  expect((await run([])).code).toBe(2);
  expect(await left(db)).toEqual([{ n: 1 }]);
  expect(await jobsHere(db)).toEqual([]);
});

test("who took over how much is recorded", async () => {
  const boss = await aBoss(db.url);
  await boss.send("email", { n: 1 });
  await run(["--yes"]);
  const actions = await db.query("select user_name, action, target, detail from lockstep.recorded_actions");
  expect(actions).toEqual([
    { user_name: "ada", action: "jobs.import", target: "pg-boss", detail: { jobs: 1, schedules: 0 } },
  ]);
});

describe("a source that cannot be used", () => {
  test.each([
    ["has no pg-boss", [], 4, "import.no_source", 'There is no pg-boss in the schema "pgboss"'],
    ["has it in another schema", ["--from-schema", "boss"], 4, "import.no_source", 'schema "boss"'],
    ["does not answer", ["--from", "postgres://127.0.0.1:1/none"], 3, "database.unavailable", "pg-boss"],
  ])("%s", async (_what, argv, code, name, sentence) => {
    if (argv[0] === "--from-schema") await aBoss(db.url);
    const ended = await run(argv);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toContain(name);
    expect(ended.stderr).toContain(sentence);
  });

  test("of another version is refused, unless it is forced", async () => {
    await aBoss(db.url);
    await db.query("update pgboss.version set version = 45");
    const refused = await run(["--yes"]);
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain("The schema of pg-boss has version 45, and this command knows 46.");
    expect((await run(["--yes", "--force-version"])).code).toBe(0);
    await db.query("update pgboss.version set version = 46");
  });

  test("an empty one gives an empty import", async () => {
    await aBoss(db.url, []);
    expect(await run(["--yes"])).toMatchObject({ code: 0, stdout: "" });
  });

  test.each([
    [["--queue", "emial"], 4, 'There is no queue "emial" in pg-boss. Did you mean "email"?'],
    [["--queue", "email=emial"], 4, 'There is no pipeline "emial". Did you mean "email"?'],
    [["--queue", "=email"], 2, "--queue must be QUEUE=PIPELINE"],
  ])("%j is refused", async (argv, code, sentence) => {
    await aBoss(db.url);
    const ended = await run([...argv, "--yes"]);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(sentence);
  });
});
