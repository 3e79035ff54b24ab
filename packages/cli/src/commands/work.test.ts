// In real time: whole workers, with their heartbeat threads and PostgreSQL's clock.
import { testDatabase } from "@lockstep/test-support";
import { createEngine, type Engine } from "lockstep";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { demoPipeline } from "../pipelines/demo-pipeline.ts";
import { runCli } from "../testing/run-cli.ts";

const db = testDatabase();
beforeEach(() => db.reset());

function anEngine(): Engine {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [demoPipeline], logger: null });
  onTestFinished(() => engine.stop());
  return engine;
}

async function addDemo(count: number, stepMs: number): Promise<void> {
  const items = Array.from({ length: count }, () => ({ payload: { title: "t", text: "one two", stepMs } }));
  await anEngine().addMany(demoPipeline, items);
}

const statuses = async () =>
  (await db.call<{ status: string; attempt: number }>("list_jobs")).map(({ status, attempt }) => [
    status,
    attempt,
  ]);

test("--once works until nothing is due, and tells each step as JSON to whoever asks", async () => {
  await addDemo(3, 0);
  await anEngine().add(
    demoPipeline,
    { title: "t", text: "later" },
    { scheduledFor: new Date(Date.now() + 3_600_000) },
  );
  const { code, stderr, jsonl } = await runCli(["work", "--demo", "--once", "--jsonl"], {
    databaseUrl: db.url,
  });
  expect(stderr).toContain("working on demo/read, demo/count, demo/report (the demo pipeline)");
  expect(jsonl<{ event: string }>().filter(({ event }) => event === "job.completed")).toHaveLength(3);
  expect(code).toBe(0);
  expect((await statuses()).map(([status]) => status).sort()).toEqual([
    "completed",
    "completed",
    "completed",
    "scheduled",
  ]);
});

test("--stages and --processors choose what it serves, and --once leaves the rest", async () => {
  await addDemo(4, 30);
  const argv = [
    "work",
    "--demo",
    "--once",
    "--jsonl",
    "--stages",
    "demo/read,demo/count",
    "--processors",
    "1",
  ];
  const { jsonl } = await runCli(argv, { databaseUrl: db.url });
  const events = jsonl<{ event: string; stage: string; processor?: number }>();
  const started = events.filter(({ event }) => event === "job.started");
  expect(started.map(({ stage }) => stage).sort()).toEqual([
    ...Array(4).fill("count"),
    ...Array(4).fill("read"),
  ]);
  const stats = await anEngine().stats();
  expect(stats.filter(({ jobs }) => jobs > 0)).toMatchObject([
    { stage: "report", status: "pending", jobs: 4 },
  ]);
});

test("--jobs-at-once 1 takes each job through all its stages before the next", async () => {
  await addDemo(2, 0);
  const { jsonl } = await runCli(["work", "--demo", "--once", "--jsonl", "--jobs-at-once", "1"], {
    databaseUrl: db.url,
  });
  const started = jsonl<{ event: string; stage: string }>().filter(({ event }) => event === "job.started");
  expect(started.map(({ stage }) => stage)).toEqual(["read", "count", "report", "read", "count", "report"]);
});

test("a stage that does not exist is refused with the nearest name", async () => {
  const { code, stderr } = await runCli(["work", "--demo", "--stages", "demo/raed"], { databaseUrl: db.url });
  expect(code).toBe(2);
  expect(stderr).toContain(
    'stages names "demo/raed", which none of the pipelines has. Did you mean "demo/read"?',
  );
});

test("the first signal drains: what runs may end, and the exit code is 0", async () => {
  await addDemo(1, 100);
  let isSent = false;
  const { code, stderr } = await runCli(["work", "--demo", "--jsonl"], {
    databaseUrl: db.url,
    onOutput(stdout, { signal }) {
      if (isSent || !stdout.includes("job.started")) return;
      isSent = true;
      signal("SIGTERM");
    },
  });
  expect(stderr).toContain("waiting for 1 job, Ctrl-C again to abort\nstopped\n");
  expect(code).toBe(0);
  // Its first stage was done, and the next one is left for others.
  expect(await statuses()).toEqual([["pending", 0]]);
});

test("the second signal aborts: the job is released unspent, and the exit code names the signal", async () => {
  await addDemo(1, 10_000);
  let isSent = false;
  const { code, stderr } = await runCli(["work", "--demo", "--jsonl"], {
    databaseUrl: db.url,
    onOutput(stdout, { signal }) {
      if (isSent || !stdout.includes("job.started")) return;
      isSent = true;
      signal("SIGINT");
      setTimeout(() => signal("SIGINT"), 350);
    },
  });
  expect(stderr).toContain("aborting: running jobs are released, and the attempt does not count");
  expect(code).toBe(130);
  expect(await statuses()).toEqual([["pending", 0]]);
});

test("without a file with pipelines it does not work on something else", async () => {
  const { code, stderr } = await runCli(["work"], { databaseUrl: db.url });
  expect(code).toBe(2);
  expect(stderr).toContain("Give one with --pipelines FILE");
});

test("--timing takes the names of timings only", async () => {
  const { code, stderr } = await runCli(["work", "--demo", "--timing", "clasic"], { databaseUrl: db.url });
  expect(stderr).toContain('--timing must be one of default, classic, not "clasic". Did you mean "classic"?');
  expect(code).toBe(2);
});
