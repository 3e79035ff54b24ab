import { once } from "node:events";
import { JobFactory, testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline, type Engine } from "lockstep";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../../testing/run-cli.ts";

const db = testDatabase();
const jobs = new JobFactory(db);

const greeting = definePipeline<{ name: string }>("greeting", { events: true })
  .stage("look-up", { maxAttempts: 1 }, ({ payload, progress }) => {
    progress(50, `looking for ${payload.name}`);
    if (payload.name === "nobody") throw new Error("no such \u001b[31mperson");
    if (payload.name === "nowhere") {
      const refused = new AggregateError(
        [1, 2, 3, 4, 5].map((n) => new Error(`refused by ${n}`)),
        "nobody \u001b[31mthere",
      );
      throw new Error("no directory", { cause: new TypeError("fetch failed", { cause: refused }) });
    }
    return payload.name;
  })
  .stage("greet", ({ output }) => ({ text: `Hello, ${output}` }));

const turns = new EventTarget();
const reading = definePipeline<{ book: string }>("reading").stage("read", async ({ payload, log }) => {
  log.info(`opened ${payload.book}`, { pages: 2 });
  await once(turns, "last page");
  log.warn("closed \u001b[31mit");
});

let engine: Engine;

beforeAll(async () => {
  await jobs.aPipeline("orders", ["read", "price"]);
  const payloadSchema = { type: "object", properties: { page: { type: "integer" } } };
  await jobs.aPipeline("pages", ["read"], { payloadSchema });
  engine = createEngine({ databaseUrl: db.url, pipelines: [greeting, reading], logger: null });
  await engine.start();
});

afterAll(() => engine.stop());

const run = (argv: string | string[], options: Parameters<typeof runCli>[1] = {}) =>
  runCli(typeof argv === "string" ? argv.split(" ") : argv, { databaseUrl: db.url, ...options });

const actions = () =>
  db.query<{ action: string; user_name: string; target: string; outcome: string }>(
    "select * from lockstep.list_actions()",
  );

describe("jobs add", () => {
  test("prints the id; all that can be said of a job is said by flags", async () => {
    const { code, stdout } = await run([
      ...[
        "jobs",
        "add",
        "orders",
        '{"order": 7}',
        "--priority",
        "3",
        "--owner",
        "ada",
        "--tag",
        "a",
        "--tag",
        "b",
      ],
      ...["--dedup-key", "order-7", "--in", "1h", "--group-key", "shop"],
    ]);
    expect(code).toBe(0);
    const id = stdout.trim();
    expect(await engine.get(id)).toMatchObject({
      pipeline: "orders",
      status: "scheduled",
      payload: { order: 7 },
      priority: 3,
      owner: "ada",
      tags: ["a", "b"],
      dedupKey: "order-7",
    });
    const twin = await run('jobs add orders {"order":7} --owner ada --dedup-key order-7 --json');
    expect(twin.json()).toEqual({ id, created: false, status: "scheduled" });
    expect(twin.stderr).toContain("already exists; it is scheduled");
    expect(await actions()).toContainEqual(
      expect.objectContaining({ action: "jobs.add", target: `jobs/${id}`, outcome: "added" }),
    );
  });

  test("a line of stdin is a job each, added by the thousand", async () => {
    const stdin = Array.from({ length: 2_500 }, (_, n) => `{"order":${n}}\n`).join("");
    const { code, stdout, stderr } = await run("jobs add orders - --tag many", { stdin });
    expect(code).toBe(0);
    const ids = stdout.trim().split("\n");
    expect(new Set(ids).size).toBe(2_500);
    expect(stderr).toContain("2,500 jobs added to orders.");
    expect(await engine.get(ids[2_499] ?? "")).toMatchObject({ payload: { order: 2_499 }, tags: ["many"] });
  });

  test("when a later line is refused, what was added stays and the end is 6", async () => {
    const stdin = `${'{"order":1}\n'.repeat(1_000)}{"order":\n`;
    const { code, stdout, stderr } = await run("jobs add orders - --jsonl", { stdin });
    expect(code).toBe(6);
    expect(stdout.trim().split("\n")).toHaveLength(1_000);
    expect(JSON.parse(stderr.trim().split("\n").at(-1) ?? "").error.message).toMatch(
      /Line 1001 of stdin is not JSON\. The first 1,000 jobs were already added, and stay\./,
    );
  });

  test("--wait gives the result, with a bar meanwhile", async () => {
    const { code, json, stderr } = await run(["jobs", "add", "greeting", '{"name":"Ada"}', "--wait"]);
    expect(code).toBe(0);
    expect(json()).toEqual({ text: "Hello, Ada" });
    expect(stderr).toContain("100 %  completed  greet (2 of 2)");
  });

  test("--wait for a job that fails ends with 1 and its error", async () => {
    const { code, stdout } = await run(["jobs", "add", "greeting", '{"name":"nobody"}', "--wait"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^failed {2}greeting\/look-up .*Error: no such \ufffd\[31mperson\n$/);
  });

  test.each([
    [["order", "{}"], 4, 'There is no pipeline "order". Did you mean "orders"?'],
    [["orders", "{order: 7}"], 2, "The payload is not JSON."],
    [["orders", "{}", "--priority", "21"], 2, "--priority must be a whole number from 1 to 20"],
    [["orders", "{}", "--in", "1h", "--scheduled-for", "2030-01-01"], 2, "--scheduled-for or --in"],
    [["orders", "-"], 2, "There is no payload to add."],
    [["pages", '{"page": "one"}'], 2, "/page must be of type integer, not string"],
    [["orders", "[1,2]", "--each", "--wait"], 2, "--wait is for one job"],
    [[], 2, "is missing an argument"],
  ])("%j ends with %i", async (words, code, sentence) => {
    const refused = await run(["jobs", "add", ...words]);
    expect(refused.stderr).toContain(sentence);
    expect(refused.code).toBe(code);
  });
});

describe("jobs show", () => {
  test("tells stages, attempts, the error and the payload, and nothing in them steers the terminal", async () => {
    const { stdout: added } = await run(["jobs", "add", "greeting", '{"name":"nobody"}']);
    await expect(engine.result(added.trim())).rejects.toThrow("no such");
    const { code, stdout } = await run(["jobs", "show", added.trim()], {
      columns: 120,
      env: { NO_COLOR: "1" },
    });
    expect(code).toBe(0);
    expect(stdout).toContain(`✖ failed  greeting/look-up  ${added.trim()}`);
    expect(stdout).toMatch(/✖ failed {2}look-up {2}\d+ ms\n {2}· waits {2}greet\n/);
    expect(stdout).toMatch(/look-up +1 {2}failed/);
    expect(stdout).toContain("Error: no such \ufffd[31mperson\n");
    expect(stdout).toContain('"name": "nobody"');
    const json = await run(["jobs", "get", added.trim(), "--json"]);
    expect(json.json()).toMatchObject({
      id: added.trim(),
      status: "failed",
      attempts: [{ outcome: "failed" }],
    });
  });

  test("tells what caused the error, each cause with its own frames", async () => {
    const { stdout: added } = await run(["jobs", "add", "greeting", '{"name":"nowhere"}']);
    const id = added.trim();
    await expect(engine.result(id)).rejects.toThrow("no directory");
    const { stdout } = await run(["jobs", "show", id]);
    const frames = "(?: {2}at .*\\n)+";
    expect(stdout).toMatch(
      new RegExp(
        [
          `\nError: no directory\n${frames}`,
          `caused by: TypeError: fetch failed\n${frames}`,
          `caused by: AggregateError: nobody \ufffd\\[31mthere\n${frames}`,
          ...[1, 2, 3].map((n) => `one of its errors: Error: refused by ${n}\n${frames}`),
          "2 more of its errors are not kept\n",
        ].join(""),
      ),
    );
    expect((await run(["jobs", "show", id, "--json"])).json()).toMatchObject({
      error: { cause: { message: "fetch failed", cause: { errors: [{}, {}, {}], moreErrors: 2 } } },
    });
  });

  test("says that what caused an error is not kept", async () => {
    await jobs.aPipeline("wells", ["dig"]);
    const by = await jobs.aWorker();
    const { id, claim_token } = await jobs.aClaimedJob({ by, pipeline: "wells", stage: "wells/dig" });
    const error = { name: "Error", message: "deep down", hasMoreCauses: true };
    await db.value("fail_job", { p_id: id, p_claim_token: claim_token, p_error: error, p_retry: false });
    const { stdout } = await run(["jobs", "show", id]);
    expect(stdout).toContain("\nError: deep down\nwhat caused it is not kept\n");
  });

  test("says why a job is not running", async () => {
    const id = await jobs.aPendingJob({ at: new Date() });
    const { stdout } = await run(["jobs", "show", id]);
    expect(stdout).toContain("why it is not running\n  No live worker serves orders/read;");
    expect((await run(["jobs", "show", id, "--json"])).json()).toMatchObject({
      id,
      reasons: [{ reason: "no_worker" }, { reason: "waiting" }],
    });
  });

  test.each([
    ["01a1e2c4-d2e0-780b-94fe-a9d3d65879c1", 4, "There is no job 01a1e2c4"],
    ["17", 2, '"17" is not a job id'],
  ])("%s ends with %i", async (id, code, sentence) => {
    const refused = await run(["jobs", "show", id]);
    expect(refused).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(sentence) });
  });
});

describe("jobs cancel and retry", () => {
  test("steer jobs by id, and say of each what came of it", async () => {
    const one = await jobs.aPendingJob({ at: new Date() });
    const other = await jobs.aPendingJob({ at: new Date() });
    expect(await run(["jobs", "cancel", one, other])).toMatchObject({ code: 0 });
    const again = await run(["jobs", "cancel", one, "--json"]);
    expect(again.code).toBe(5);
    expect(again.json()).toEqual({ data: [{ id: one, answer: "already_finished" }] });

    expect((await run(["jobs", "retry", one, "--from-stage", "price"])).code).toBe(5);
    const retried = await run(["jobs", "retry", one, "--from-stage", "read"]);
    expect(retried).toMatchObject({ code: 0, stdout: expect.stringContaining("It runs again.") });
    expect(await engine.get(one)).toMatchObject({ status: "pending", stage: "read" });
    const partly = await run(["jobs", "retry", one, other]);
    expect(partly).toMatchObject({ code: 6, stdout: expect.stringContaining("not_finished") });
  });

  test("retry of a job that is neither failed nor cancelled says what it is", async () => {
    const waiting = await jobs.aPendingJob({ at: new Date() });
    const { id: completed } = await engine.add(greeting, { name: "Ada" });
    await engine.result(completed);
    const sentence = "Only failed and cancelled jobs are retried; this one is";
    for (const [id, status] of [
      [waiting, "pending"],
      [completed, "completed"],
    ] as const) {
      expect(await run(["jobs", "retry", id])).toMatchObject({
        code: 5,
        stdout: expect.stringContaining(`${sentence} ${status}.`),
      });
    }
    const bulk = await run(["jobs", "retry", "--yes", "--filter", "pipeline:greeting status:completed"]);
    expect(bulk.stdout).toMatch(/^0 retried, \d+ left as they are \(live, or completed\)\n$/);
  });

  test("a job that does not exist ends with 4, and nothing at all with 2", async () => {
    expect((await run("jobs cancel 01a1e2c4-d2e0-780b-94fe-a9d3d65879c1")).code).toBe(4);
    expect(await run("jobs retry")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Which jobs?"),
    });
  });

  test("are recorded under the name of whoever did them", async () => {
    const id = await jobs.aPendingJob({ at: new Date() });
    await run(["jobs", "cancel", id]);
    const [action] = await actions();
    expect(Object.values(action ?? {})).toEqual(
      expect.arrayContaining(["ada", "jobs.cancel", `jobs/${id}`, "cancelled"]),
    );
  });
});

describe("jobs tail", () => {
  test("follows the realtime log line by line until Ctrl-C", async () => {
    const adding: Promise<{ id: string }>[] = [];
    const { code, jsonl } = await run("jobs tail --pipeline greeting --jsonl", {
      onTalk: (text) => {
        const isFirst = text.includes("Following") && adding.length === 0;
        if (isFirst) adding.push(engine.add(greeting, { name: "Grace" }));
      },
      onOutput: (text, { signal }) => {
        if (text.includes("job.completed")) signal("SIGINT");
      },
    });
    expect(code).toBe(130);
    const events = jsonl<{ kind: string; jobId: string; cursor: string }>();
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["job.claimed", "job.completed"]));
    // The job may have ended before the add was answered here.
    const [added] = await Promise.all(adding);
    expect(new Set(events.map(({ jobId }) => jobId))).toEqual(new Set([added?.id]));
  });

  test("ends quietly with 0 when nobody reads on", async () => {
    const { code, stdout, stderr } = await run("jobs tail --after start -q", {
      onOutput: (_text, { closeOutput }) => closeOutput(),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^\d{4}-.+ added +\S+ {2}orders\/read {2}owner ada\n$/);
  });

  test("watch of one job shows a bar until it ends", async () => {
    const { id } = await engine.add(greeting, { name: "Alan" });
    const { code, stdout, stderr } = await run(["jobs", "watch", id, "--color=never"], { columns: 100 });
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^✔ completed {2}greeting/greet {2}${id} {2}\\d+ ms\n$`));
    expect(stderr).toContain("████████████████  100 %  completed  greet (2 of 2)");
  });

  test("watch --jsonl tells each change, and at last the job with its result", async () => {
    const { id } = await engine.add(greeting, { name: "Edsger" });
    const lines = (await run(["jobs", "watch", id, "--jsonl", "-q"])).jsonl<{ status: string }>();
    expect(lines.at(-2)).toMatchObject({
      id,
      status: "completed",
      stage: "greet",
      updatedAt: expect.any(String),
    });
    expect(lines.at(-1)).toMatchObject({ id, result: { text: "Hello, Edsger" } });
  });

  test("watch and show tell what a job logs while it runs", async () => {
    const { id } = await engine.add(reading, { book: "Emma" });
    const watched = run(["jobs", "watch", id, "--color=never"], { columns: 100 });
    await expect
      .poll(async () => (await run(["jobs", "show", id])).stdout, { timeout: 20_000 })
      .toMatch(/log\n {2}\S+Z {2}info {3}opened Emma {"pages":2}\n/);
    turns.dispatchEvent(new Event("last page"));
    const { code, stderr } = await watched;
    expect(code).toBe(0);
    const told = stderr.split(/[\r\n]/).filter((line) => /info|warn/.test(line));
    expect(told).toEqual([
      expect.stringMatching(/Z {2}info {3}opened Emma {"pages":2}$/),
      expect.stringMatching(/Z {2}warn {3}closed .*it$/),
    ]);
    expect(told.join()).not.toContain("\u001b[31m");
    expect((await run(["jobs", "show", id])).stdout).toMatch(/info {3}opened Emma .*\n.*warn {3}closed /);
  });

  test("watch of a job that does not exist ends with 4", async () => {
    expect((await run("jobs watch 01a1e2c4-d2e0-780b-94fe-a9d3d65879c1")).code).toBe(4);
  });

  test("gives up after --timeout with 124, and the job is not touched", async () => {
    const id = await jobs.aPendingJob({ at: new Date() });
    const { code, stderr } = await run(["jobs", "watch", id, "--timeout", "150ms"]);
    expect(code).toBe(124);
    expect(stderr).toContain("Gave up after --timeout (150 ms).");
    expect(await engine.get(id)).toMatchObject({ status: "pending" });
  });
});

describe("stages", () => {
  test("are paused and resumed, once", async () => {
    expect((await run("stages pause orders/price")).stdout).toBe("orders/price is paused.\n");
    expect((await run("stages pause orders/price --json")).json()).toMatchObject({ isChanged: false });
    expect((await run("stats --pipeline orders")).stdout).toContain("price paused\t");
    expect((await run("stages resume orders/price")).stdout).toBe("orders/price is resumed.\n");
    expect((await actions()).slice(0, 3).map(({ action }) => action)).toEqual([
      "stages.resume",
      "stages.pause",
      "stages.pause",
    ]);
  });

  test.each([
    ["orders/prize", 4, 'has no stage "prize". Did you mean "price"?'],
    ["order/price", 4, 'Did you mean "orders"?'],
    ["price", 2, "Give pipeline and stage as PIPELINE/STAGE."],
  ])("%s ends with %i", async (path, code, sentence) => {
    expect(await run(["stages", "pause", path])).toMatchObject({
      code,
      stderr: expect.stringContaining(sentence),
    });
  });
});

describe("schedules", () => {
  test("are paused, resumed and, after a question, removed", async () => {
    await db.call("set_schedule", { p_name: "nightly", p_pipeline: "orders", p_cron: "0 3 * * *" });
    expect((await run("schedules pause nightly")).stdout).toBe("nightly is paused.\n");
    expect((await run("schedules resume nightly")).stdout).toBe("nightly is resumed.\n");
    const unasked = await run("schedules remove nightly");
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining("Give --yes") });
    const no = await run("schedules remove nightly", { columns: 80, stdin: "n\n" });
    expect(no.stderr).toContain("Remove the schedule nightly? [y/N] Nothing was changed.");
    const yes = await run("schedules remove nightly", { columns: 80, stdin: "y\n" });
    expect(yes).toMatchObject({ code: 0, stdout: "nightly is removed.\n" });
  });

  test("that do not exist end with 4 and the nearest name, whatever is to be done to them", async () => {
    await db.call("set_schedule", { p_name: "nightly", p_pipeline: "orders", p_cron: "0 3 * * *" });
    for (const verb of ["pause", "resume", "remove --yes"]) {
      expect(await run(`schedules ${verb} nihgtly`)).toMatchObject({
        code: 4,
        stdout: "",
        stderr: expect.stringContaining('There is no schedule "nihgtly". Did you mean "nightly"?'),
      });
    }
  });
});

test("jobs reset-stalled takes back what a lost worker holds", async () => {
  const worker = await jobs.aWorker({ at: new Date(Date.now() - 60_000), serves: ["orders/read"] });
  const claimed = await jobs.claimAs(worker, { at: new Date(Date.now() - 60_000) });
  expect(claimed).toHaveLength(1);
  const { code, stdout } = await run("jobs reset-stalled");
  expect(code).toBe(0);
  expect(stdout).toMatch(/taken back|No job is held/);
  expect(await engine.get(claimed[0]?.id ?? "")).toMatchObject({ status: "pending", losses: 1 });
});

describe("jobs fork", () => {
  test("runs a completed job again from a stage as a new job, and show says where it came from", async () => {
    const added = await run(["jobs", "add", "greeting", '{"name": "Ada"}', "--wait"]);
    const [done] = await db.query<{ id: string }>(
      "select id from lockstep.finished_jobs where status = 'completed' order by id desc limit 1",
    );
    expect(added.code).toBe(0);
    const id = done?.id ?? "";
    const forked = await run(["jobs", "fork", id, "--from-stage", "greet", "--json"]);
    expect(forked.code).toBe(0);
    const fork = JSON.parse(forked.stdout) as { id: string };
    expect(fork).toMatchObject({ answer: "forked", forkedFrom: id });
    expect(await engine.result(fork.id)).toEqual({ text: "Hello, Ada" });
    expect((await run(["jobs", "show", fork.id])).stdout).toMatch(new RegExp(`forked from +${id}`));
    expect((await actions())[0]).toMatchObject({
      action: "jobs.fork",
      target: `jobs/${id}`,
      outcome: "forked",
    });
  });

  test("refuses a live or an unknown job", async () => {
    const live = await jobs.aPendingJob({ pipeline: "pages", payload: { page: 1 } });
    expect(await run(["jobs", "fork", live])).toMatchObject({ code: 5, stdout: /Only finished jobs/ });
    expect((await run("jobs fork 0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f")).code).toBe(4);
  });
});

test("jobs show names the branches of a stage, and what was skipped", async () => {
  const branching = definePipeline<{ n: number }>("branching")
    .stage("skip", { when: () => false }, () => 1)
    .parallel("ask", { one: () => 1, two: () => 2 });
  const other = createEngine({ databaseUrl: db.url, pipelines: [branching], logger: null });
  await other.start();
  try {
    const { id } = await other.add(branching, { n: 1 });
    await other.result(id);
    const { stdout } = await run(["jobs", "show", id]);
    expect(stdout).toMatch(/skipped {2}skip/);
    expect(stdout).toMatch(/completed {2}one {2}[0-9a-f-]{36}/);
    const [branch] = await other.branches(id);
    expect((await run(["jobs", "show", branch?.jobId ?? ""])).stdout).toMatch(`${id}, as one`);
  } finally {
    await other.stop();
  }
});
