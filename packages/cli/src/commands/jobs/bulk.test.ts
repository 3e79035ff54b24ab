import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";
import { runCli } from "../../testing/run-cli.ts";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "price"]);
  await db.query(
    "select lockstep.add_job('orders', jsonb_build_object('order', n), p_owner => case when n <= 120 then 'ada' end) from generate_series(1, 150) n",
  );
});

const run = (argv: string[], options: Parameters<typeof runCli>[1] = {}) =>
  runCli(["jobs", ...argv], { databaseUrl: db.url, ...options });

async function counts(): Promise<Record<string, number>> {
  const rows = await db.call<{ status: string; jobs: string }>("queue_stats");
  const sums: Record<string, number> = {};
  for (const { status, jobs: some } of rows)
    if (some !== "0") sums[status] = (sums[status] ?? 0) + Number(some);
  return sums;
}

test("--dry-run counts and changes nothing", async () => {
  const { code, stdout } = await run(["cancel", "--filter", "owner:ada", "--dry-run"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "It would affect 120 jobs.\n" });
  expect(await counts()).toEqual({ pending: 150 });
});

test("a filter is asked about first, and with a yes all that match are cancelled, with a bar", async () => {
  const no = await run(["cancel", "--filter", "owner:ada"], { columns: 100, stdin: "no\n" });
  expect(no).toMatchObject({ code: 0, stdout: "" });
  expect(no.stderr).toContain("Cancel 120 jobs? [y/N] Nothing was changed.");
  expect(await counts()).toEqual({ pending: 150 });

  const yes = await run(["cancel", "--filter", "owner:ada"], { columns: 100, stdin: "y\n" });
  expect(yes).toMatchObject({ code: 0, stdout: "120 cancelled\n" });
  expect(yes.stderr).toContain("100 %  120 jobs");
  expect(await counts()).toEqual({ pending: 30, cancelled: 120 });
  const actions = await db.query<{ action: string }>("select action from lockstep.list_actions()");
  expect(actions.map(({ action }) => action)).toEqual(["bulk.start"]);
});

test("retry takes them up again; --jsonl tells each step", async () => {
  await run(["cancel", "--filter", "owner:ada", "--yes"]);
  const { code, jsonl } = await run(["retry", "--filter", "status:cancelled", "--yes", "--jsonl", "-q"]);
  expect(code).toBe(0);
  const steps = jsonl<{ done: number; status: string }>();
  expect(steps.map(({ done }) => done)).toEqual([50, 100, 120]);
  expect(steps.at(-1)).toMatchObject({ status: "done", action: "retry", user: "ada" });
  expect(await counts()).toEqual({ pending: 150 });
});

test("what cannot be done to a job ends with 6 and names it", async () => {
  await run(["cancel", "--filter", "owner:ada", "--yes"]);
  const { code, stdout } = await run([
    "retry",
    "--filter",
    "status:cancelled",
    "--from-stage",
    "price",
    "--yes",
  ]);
  expect(code).toBe(6);
  expect(stdout).toMatch(/^0 retried, 120 failed\n {2}\S{36} {2}/);
});

test("Ctrl-C stops it between two steps, so that nobody goes on with it", async () => {
  const { code, stderr } = await run(["cancel", "--filter", "pipeline:orders", "--yes"], {
    onTalk: (text, { signal }) => {
      if (text.includes("33 %")) signal("SIGINT");
    },
  });
  expect(code).toBe(130);
  expect(stderr).toContain("Stopped after 50 jobs; what was done stays.");
  expect(await counts()).toEqual({ pending: 100, cancelled: 50 });
  const [bulk] = await db.call<{ status: string }>("list_bulk_actions");
  expect(bulk).toMatchObject({ status: "aborted" });
});

test.each([
  [["cancel", "--filter", "owner:nobody"], 0, "No job matches."],
  [["cancel", "--filter", "owner:ada"], 2, "Cancel 120 jobs? There is no terminal to ask on."],
  [["cancel", "--filter", ""], 2, "would be done to every job"],
  [["retry", "--filter", "stat:failed"], 2, "stat"],
])("%j ends with %i", async (argv, code, sentence) => {
  const ended = await run(argv);
  expect(ended.stderr).toContain(sentence);
  expect(ended).toMatchObject({ code, stdout: "" });
  expect(await counts()).toEqual({ pending: 150 });
});
