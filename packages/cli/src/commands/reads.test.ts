import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../testing/run-cli.ts";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeAll(async () => {
  await jobs.aPipeline("orders", ["read", "price"]);
  await jobs.aPipeline("letters", ["write"], { events: true });
  await jobs.aPendingJob({ at: new Date() });
  await jobs.aPendingJob({ at: new Date() });
  await jobs.aWorker({ name: "live-one", serves: ["orders/read"], at: new Date() });
  await jobs.aWorker({ name: "lost-one", serves: ["orders/price"], at: new Date(Date.now() - 60_000) });
});

const run = (line: string, options: Parameters<typeof runCli>[1] = {}) =>
  runCli(line.split(" "), { databaseUrl: db.url, ...options });

describe("stats", () => {
  test("counts the jobs of each stage, aligned for people", async () => {
    const { code, stdout } = await run("stats --color=never", { columns: 120 });
    expect(code).toBe(0);
    expect(
      stdout
        .split("\n")
        .slice(0, 3)
        .map((line) => line.replace(/ +/g, " ")),
    ).toEqual([
      "PIPELINE STAGE SCHEDULED PENDING PROCESSING RETRYING COMPLETED FAILED CANCELLED",
      "letters write 0 0 0 0 0 0 0",
      "orders read 0 2 0 0 0 0 0",
    ]);
  });

  test("gives programs tabs, or JSON with the engine's names", async () => {
    expect((await run("stats --pipeline orders")).stdout.split("\n")[1]).toBe(
      "orders\tread\t0\t2\t0\t0\t0\t0\t0",
    );
    const { data } = (await run("stats --json")).json<{ data: object[] }>();
    expect(data).toContainEqual({
      pipeline: "orders",
      stage: "read",
      status: "pending",
      jobs: 2,
      paused: false,
    });
    expect((await run("stats --jsonl")).jsonl()).toEqual(JSON.parse(JSON.stringify(data)));
  });

  test("--watch draws the table anew in its place until Ctrl-C", async () => {
    const { code, stdout } = await run("stats --watch --interval 20ms", {
      columns: 120,
      onOutput: (text, { signal }) => {
        if (text.split("PIPELINE").length > 2) signal("SIGINT");
      },
    });
    expect(code).toBe(130);
    expect(stdout).toContain("\u001b[4A\u001b[J");
  });

  test("--watch --jsonl is a line a time", async () => {
    const { jsonl } = await run("stats --watch --jsonl --interval 10ms", {
      onOutput: (text, { closeOutput }) => {
        if (text.split("\n").length > 3) closeOutput();
      },
    });
    expect(jsonl()[0]).toEqual({ at: expect.any(String), data: expect.any(Array) });
  });
});

test.each([
  ["stats --pipeline order", 'There is no pipeline "order". Did you mean "orders"?'],
  ["stats --watch --pipeline order", 'There is no pipeline "order". Did you mean "orders"?'],
  ["errors --pipeline order", 'There is no pipeline "order". Did you mean "orders"?'],
  [
    "errors --pipeline orders --stage prize",
    'The pipeline "orders" has no stage "prize". Did you mean "price"?',
  ],
  ["schedules --pipeline order", 'There is no pipeline "order". Did you mean "orders"?'],
  ["jobs list --pipeline order", 'There is no pipeline "order". Did you mean "orders"?'],
  ["jobs list --filter pipeline:order", 'There is no pipeline "order". Did you mean "orders"?'],
  ["jobs list --stage prize", 'No pipeline has a stage "prize". Did you mean "price"?'],
  [
    "jobs list --pipeline orders --stage prize",
    'The pipeline "orders" has no stage "prize". Did you mean "price"?',
  ],
  ["jobs cancel --yes --filter pipeline:order", 'There is no pipeline "order". Did you mean "orders"?'],
  ["jobs retry --dry-run --filter stage:prize", 'No pipeline has a stage "prize". Did you mean "price"?'],
])("%s ends with 4 and the nearest name, not as if nothing were there", async (line, sentence) => {
  expect(await run(line)).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining(sentence) });
});

test("a filter that nothing matches is not said to be all there is", async () => {
  expect((await run("errors --pipeline orders")).stderr).toBe("No failure matches.\n");
  expect((await run("errors")).stderr).toBe("No job has failed.\n");
  expect((await run("schedules --pipeline orders")).stderr).toBe("No schedule matches.\n");
});

test("workers lists those that are lost first, with the oldest and the newest job of each", async () => {
  const { code, stdout } = await run("workers");
  expect(code).toBe(0);
  const rows = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  expect(rows.slice(1).map(([state, name]) => [state, name])).toEqual([
    ["lost", "lost-one"],
    ["live", "live-one"],
  ]);
  expect(rows[0]).toEqual(expect.arrayContaining(["JOBS", "OLDEST JOB", "NEWEST JOB"]));
  expect((await run("workers --json")).json<{ data: object[] }>().data).toHaveLength(2);
});

describe("pipelines", () => {
  test("lists them with their stages", async () => {
    const { stdout } = await run("pipelines");
    expect(stdout).toContain("orders\t1\towners\tread > price\n");
    expect((await run("pipelines list")).stdout).toBe(stdout);
  });

  test("shows one with all its options", async () => {
    const { code, stdout } = await run("pipelines show orders");
    expect(code).toBe(0);
    expect(stdout).toContain("read\topen\t3\t3\t5 m\texponential 2 m to 1 h");
    expect((await run("pipelines show orders --json")).json()).toMatchObject({
      name: "orders",
      stages: [{ name: "read", pausedAt: null }, { name: "price" }],
    });
  });

  test("that do not exist end with 4 and the nearest name", async () => {
    const { code, stderr } = await run("pipelines show order");
    expect(code).toBe(4);
    expect(stderr).toContain('There is no pipeline "order". Did you mean "orders"?');
  });

  test("a verb that does not exist is refused", async () => {
    const { code, stderr } = await run("pipelines lst");
    expect(code).toBe(2);
    expect(stderr).toContain('There is no command "pipelines lst". Did you mean "list"?');
  });
});

test("schedules say when they run next, and what is wrong with them", async () => {
  await db.call("set_schedule", { p_name: "nightly", p_pipeline: "letters", p_cron: "0 3 * * *" });
  const { data } = (await run("schedules --json")).json<{ data: { name: string; nextRuns: string[] }[] }>();
  expect(data).toMatchObject([{ name: "nightly", pipeline: "letters", cron: "0 3 * * *", pausedAt: null }]);
  expect(data[0]?.nextRuns).toHaveLength(5);
  expect((await run("schedules list", { columns: 100 })).stdout).toMatch(
    /nightly +letters +0 3 \* \* \* +UTC +in /,
  );
});

describe("health", () => {
  test("is 0 while the database answers with the right schema", async () => {
    const { code, json } = await run("health --json");
    expect(code).toBe(0);
    expect(json<{ data: object[] }>().data).toMatchObject([
      { check: "database", isOk: true },
      { check: "schema", isOk: true },
    ]);
  });

  test("is 7 when the worker it asks for is not alive", async () => {
    expect((await run("health --worker live-one")).code).toBe(0);
    const { code, stdout } = await run("health --worker lost-one");
    expect(code).toBe(7);
    expect(stdout).toContain("bad\tworker\tno live worker lost-one");
  });

  test("is 3 when no server answers", async () => {
    const { code, stderr } = await run("health --url http://127.0.0.1:1");
    expect(code).toBe(3);
    expect(stderr).toContain("No server answers at http://127.0.0.1:1/health.");
  });
});

test("verify is 7 when an invariant is broken, and says which", async () => {
  const id = await jobs.aPendingJob({ at: new Date() });
  expect((await run("verify")).code).toBe(0);
  const [stage] = await db.query<{ id: number }>(
    "select s.id from lockstep.stages s join lockstep.pipelines p on p.id = s.pipeline_id where p.name = 'letters'",
  );
  await db.query("update lockstep.jobs set stage_id = $1 where id = $2", [stage?.id, id]);
  const { code, stdout } = await run("verify");
  expect(stdout).toContain("orders/read: the counters say");
  expect(code).toBe(7);
});
