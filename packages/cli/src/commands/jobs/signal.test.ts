import { aWaitingJob, aWaitingPipeline, JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../../testing/run-cli.ts";

const db = testDatabase();
const factory = new JobFactory(db);
const run = (...argv: string[]) => runCli(["jobs", ...argv], { databaseUrl: db.url });
const yes = '{"approved": true}';

beforeEach(() => db.reset());
beforeEach(() => aWaitingPipeline(factory));

describe("jobs signal", () => {
  test("lets a waiting job go on, and is recorded", async () => {
    const id = await aWaitingJob(db, factory);
    const { code, stdout } = await run("signal", id, "approval", yes);
    expect([code, stdout]).toEqual([0, expect.stringContaining("signalled")]);
    expect(await factory.read(id)).toMatchObject({
      stage: "ship",
      outputs: { approval: { approved: true } },
    });
    expect(await db.query("select action, outcome from lockstep.list_actions()")).toMatchObject([
      { action: "jobs.signal", outcome: "signalled" },
    ]);
    const again = await run("signal", id, "approval", yes);
    expect([again.code, again.stdout]).toEqual([5, expect.stringContaining("already_signalled")]);
  });

  test("finds a job by its signal key", async () => {
    const [added] = await db.call<{ id: string }>("add_job", {
      p_pipeline: "orders",
      p_signal_key: "order-7",
    });
    const { code, json } = await run(
      "signal",
      "--pipeline=orders",
      "--key=order-7",
      "approval",
      yes,
      "--json",
    );
    expect([code, json()]).toEqual([0, { data: [{ id: added?.id, answer: "kept" }] }]);
    const none = await run("signal", "--pipeline=orders", "--key=order-8", "approval", yes);
    expect(none.code).toBe(4);
  });

  test("refuses what does not fit the wait, and changes nothing", async () => {
    const id = await aWaitingJob(db, factory);
    const { code, stderr } = await run("signal", id, "approval", '{"approved": "yes"}');
    expect(code).not.toBe(0);
    expect(stderr).toContain('does not fit the schema of wait "approval"');
    expect((await run("signal", id, "aproval", yes)).code).toBe(4);
    expect(await factory.read(id)).toMatchObject({ stage: "approval" });
  });

  test.each([
    [["one-word"]],
    [["--key=k", "approval"]],
    [["--pipeline=p", "--key=k", "id", "approval", yes]],
  ])("%j is wrong usage", async (words) => {
    expect((await run("signal", ...words)).code).toBe(2);
  });
});

describe("jobs waiting", () => {
  test("lists what waits for a signal, page by page", async () => {
    const ids = [await aWaitingJob(db, factory, { owner: "ada" }), await aWaitingJob(db, factory)];
    await factory.aPendingJob();
    const { stdout } = await run("waiting");
    expect(stdout).toContain("orders/approval");
    const first = (await run("waiting", "--limit=1", "--json")).json() as {
      data: { id: string }[];
      page: { next: string };
    };
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 1));
    const rest = (await run("waiting", `--cursor=${first.page.next}`, "--json")).json();
    expect(rest).toMatchObject({ data: [{ id: ids[1] }], page: { hasMore: false } });
    const own = await run("waiting", "--owner=ada", "--pipeline=orders", "--wait=approval", "--jsonl");
    expect(own.stdout.trim().split("\n")).toHaveLength(1);
    expect((await run("waiting", "--wait=other")).stderr).toContain("No job waits for a signal.");
  });
});
