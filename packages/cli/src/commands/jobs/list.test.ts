import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../../testing/run-cli.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
const ids: string[] = [];

beforeAll(async () => {
  await jobs.aPipeline("orders", ["read", "price"]);
  await jobs.aPipeline("letters", ["write"]);
  for (let number = 0; number < 5; number += 1) {
    ids.unshift(await jobs.aPendingJob({ payload: { order: number }, owner: "ada", at: new Date() }));
  }
  const worker = await jobs.aWorker({ serves: ["letters/write"], at: new Date() });
  const failed = await jobs.aFailedJob({
    pipeline: "letters",
    stage: "letters/write",
    by: worker,
    at: new Date(),
  });
  ids.unshift(failed.id);
});

const run = (argv: string[], options: Parameters<typeof runCli>[1] = {}) =>
  runCli(["jobs", "list", ...argv], { databaseUrl: db.url, ...options });
const listed = async (...argv: string[]) =>
  (await run([...argv, "--jsonl"])).jsonl<{ id: string }>().map(({ id }) => id);

describe("jobs list", () => {
  test("shows people the newest first, cut to their terminal", async () => {
    const { code, stdout } = await run(["--color=never"], { columns: 110 });
    expect(code).toBe(0);
    const [head = "", first = "", second = ""] = stdout.split("\n");
    expect(head).toMatch(/^STATUS +JOB +STAGE +ATTEMPT +WHEN +OWNER +PAYLOAD$/);
    expect(first).toMatch(new RegExp(`^✖ failed +${ids[0]} +letters/write +1 `));
    expect(second).toMatch(new RegExp(`^… pending +${ids[1]} +orders/read +0 .* ada +\\{"order": 4\\}$`));
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
  });

  test.each<[string[], number[]]>([
    [[], [0, 1, 2, 3, 4, 5]],
    [["--status", "failed"], [0]],
    [
      ["--status", "failed,pending", "--limit", "2"],
      [0, 1],
    ],
    [
      ["--pipeline", "orders"],
      [1, 2, 3, 4, 5],
    ],
    [["--filter", "status:pending payload.order:2"], [3]],
    [
      ["--filter", "owner:ada", "--stage", "read", "--since", "1h"],
      [1, 2, 3, 4, 5],
    ],
    [["--until", "1h"], []],
    [["--status", "failed", "--sort", "-finishedAt"], [0]],
  ])("%j", async (argv, places) => {
    expect(await listed(...argv)).toEqual(places.map((place) => ids[place]));
  });

  test("goes on page by page; programs find the cursor in the document", async () => {
    const first = await run(["--limit", "4", "--json"]);
    const { data, page } = first.json<{ data: { id: string }[]; page: { next: string; hasMore: boolean } }>();
    expect(data.map(({ id }) => id)).toEqual(ids.slice(0, 4));
    expect(page.hasMore).toBe(true);
    expect(await listed("--limit", "4", "--cursor", page.next)).toEqual(ids.slice(4));
    const people = await run(["--limit", "4"], { columns: 200 });
    expect(people.stderr).toBe(`4 shown; continue with --cursor ${page.next}\n`);
    const other = await run(["--status", "failed", "--cursor", page.next]);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("code  cursor.filter_mismatch") });
  });

  test.each([
    [["--status", "faild"], 'not "faild". Did you mean "failed"?'],
    [["--filter", "staus:failed"], "status"],
    [["--filter", "status:failed", "--status", "failed"], "give it once"],
    [["--sort", "-finished"], "--sort needs a value"],
    [["--sort=-finished"], 'Did you mean "-finishedAt"?'],
  ])("%j is refused with 2", async (argv, sentence) => {
    const { code, stderr, stdout } = await run(argv);
    expect(stderr).toContain(sentence);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  test("says so when nothing matches, and a program gets an empty list", async () => {
    expect(await run(["--owner", "nobody"])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "No job matches.\n",
    });
    expect((await run(["--owner", "nobody", "--json"])).json()).toMatchObject({
      data: [],
      page: { hasMore: false },
    });
  });
});

test("errors groups the failures by kind; the fingerprint finds their jobs", async () => {
  const { code, json } = await runCli(["errors", "--since", "1h", "--json"], { databaseUrl: db.url });
  expect(code).toBe(0);
  const { data } = json<{ data: { fingerprint: string }[] }>();
  expect(data).toMatchObject([
    { pipeline: "letters", stage: "write", message: "broken", jobs: 1, sampleId: ids[0] },
  ]);
  expect(await listed("--filter", `error:${data[0]?.fingerprint}`)).toEqual([ids[0]]);
  const table = await runCli(["errors"], { databaseUrl: db.url });
  expect(table.stdout).toMatch(
    /^JOBS\tSTAGE\tERROR\tFIRST\tLAST\tFINGERPRINT\tSAMPLE\n1\tletters\/write\tError: broken\t/,
  );
});
