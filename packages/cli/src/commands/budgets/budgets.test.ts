import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";
import { runCli } from "../../testing/run-cli.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
const run = (...argv: string[]) => runCli(["budgets", ...argv], { databaseUrl: db.url });

beforeEach(() => db.reset());
beforeEach(async () => {
  const budgets = [{ name: "tokens", per: "owner", limit: 10_000, everyMs: 86_400_000, unit: "tokens" }];
  await jobs.aPipeline("answers", [{ name: "ask", spends: { tokens: 6_000 } }], { budgets });
  const at = new Date();
  const worker = await jobs.aWorker({ serves: ["answers/ask"], at });
  for (const owner of ["ada", "ada", "bob\u001b[31m"])
    await jobs.aPendingJob({ pipeline: "answers", owner, at });
  await jobs.claimAs(worker, { stage: "answers/ask", batchSize: 10, at });
});

test("budgets lists what is in use, and how many jobs wait", async () => {
  const { code, stdout } = await run();
  expect(code).toBe(0);
  expect(stdout).toMatch(/tokens\s+owner\s+10000\s+0\s+12000\s+ada 60%\s+1/);
  const { data } = (await run("list", "--json")).json() as { data: object[] };
  expect(data).toMatchObject([
    { name: "tokens", reserved: 12_000, waitingJobs: 1, fullest: [{ scope: "ada" }, {}] },
  ]);
});

test("budgets usage says what each scope has spent, without control characters of its name", async () => {
  const { code, stdout } = await run("usage", "tokens");
  expect([code, stdout.split("\n").filter((line) => line.includes("6000"))]).toMatchObject([
    0,
    { length: 2 },
  ]);
  expect(stdout).not.toContain("\u001b[31m");
  const own = (await run("usage", "tokens", "--scope=ada", "--since=48h", "--json")).json();
  expect(own).toMatchObject({
    data: [{ scope: "ada", reserved: 6_000, waiting: 1, running: 1 }],
    hasMore: false,
  });
  expect((await run("usage", "tokens", "--limit=1", "--json")).json()).toMatchObject({
    data: { length: 1 },
    hasMore: true,
  });
  const unknown = await run("usage", "tokns");
  expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('Did you mean "tokens"?')]);
});

test("budgets limit sets it for one scope, lets its jobs go on, and is recorded", async () => {
  const set = await run("limit", "tokens", "20000", "--scope=ada", "--reason=has paid", "--json");
  expect([set.code, set.json()]).toMatchObject([
    0,
    { name: "tokens", scope: "ada", limit: 20_000, changed: true },
  ]);
  expect((await run("list", "--json")).json()).toMatchObject({
    data: [{ waitingJobs: 0, scopesWithLimits: 1 }],
  });
  expect(await db.query("select action, target, outcome, detail from lockstep.list_actions()")).toMatchObject(
    [
      {
        action: "budgets.set_limit",
        target: "budgets/tokens/ada",
        outcome: "set",
        detail: { limit: 20_000, reason: "has paid" },
      },
    ],
  );
});

test("budgets limit sets it for all, and none takes it back", async () => {
  expect((await run("limit", "tokens", "0.5")).stdout).toContain("0.5 tokens");
  expect((await run("list", "--json")).json()).toMatchObject({
    data: [{ limit: 0.5, definedLimit: 10_000 }],
  });
  expect((await run("limit", "tokens", "none")).code).toBe(0);
  expect((await run("limit", "tokens", "none")).stdout).toContain("already");
  expect((await run("list", "--json")).json()).toMatchObject({ data: [{ limit: 10_000 }] });
});

test.each([
  [["limit", "tokens"], 2],
  [["limit", "tokens", "-1"], 2],
  [["limit", "tokens", "many"], 2],
  [["limit", "tokens", "1e16"], 2],
  [["limit", "tokns", "5"], 4],
])("%j is refused", async (words, code) => {
  expect((await run(...words)).code).toBe(code);
});
