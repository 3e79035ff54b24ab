// In real time: these are whole engines, with their heartbeat threads and PostgreSQL's clock.
import { randomUUID } from "node:crypto";
import { testDatabase } from "@lockstep/test-support";
import { afterEach, beforeEach, describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createEngine, type Engine } from "./engine.ts";
import type { EngineOptions } from "./engine-config.ts";
import { fanOut, type OnFailure } from "./jobs/adding/fan-out.ts";
import type { JobOutcome } from "./jobs/outcomes/job-outcome.ts";
import { giveUp } from "./jobs/outcomes/outcome.ts";
import { type AnyPipeline, definePipeline } from "./jobs/pipelines/pipeline.ts";
import type { JobId } from "./jobs/reading/job.ts";

const db = testDatabase();
beforeEach(() => db.reset());
afterEach(async () => expect(await db.call("verify")).toEqual([]));

const page = definePipeline("page", { payload: z.object({ number: z.number() }) }).stage(
  "print",
  ({ payload }) => (payload.number < 0 ? giveUp("no such page") : `p. ${payload.number}`),
);
const report = definePipeline<{ title: string }>("report").stage("write", async ({ payload, children }) => ({
  title: payload.title,
  statuses: (await children.all()).map(({ status }) => status),
}));
const book = definePipeline<{ pages: number[]; onFailure?: OnFailure }>("book")
  .stage("split", async ({ payload }) =>
    fanOut(
      page,
      payload.pages.map((number) => ({ payload: { number } })),
      { onFailure: payload.onFailure, output: payload.pages.length },
    ),
  )
  .stage("bind", { maxAttempts: 1 }, async ({ children, output }) => ({
    asked: output,
    results: await children.results(),
    statuses: (await children.all()).map(({ status }) => status),
  }));

function anEngine(options: Partial<EngineOptions> = {}): Engine {
  const engine = createEngine({
    databaseUrl: db.url,
    pipelines: [page, report, book],
    logger: null,
    ...options,
  });
  onTestFinished(() => engine.stop());
  return engine;
}

async function aWorkingEngine(options: Partial<EngineOptions> = {}): Promise<Engine> {
  const engine = anEngine(options);
  await engine.start();
  return engine;
}

const pages = (...numbers: number[]) => numbers.map((number) => ({ payload: { number } }));
const soon = { timeoutMs: 20_000 };

describe("a batch", () => {
  test("is added with a job that runs when all have ended and reads what became of them", async () => {
    const engine = anEngine();
    const { id, jobs, followerId } = await engine.addBatch(page, pages(3, -1, 5), {
      followedBy: { pipeline: report, payload: { title: "May" } },
    });
    expectTypeOf(followerId).toEqualTypeOf<JobId<{
      title: string;
      statuses: JobOutcome["status"][];
    }> | null>();
    expect(jobs).toMatchObject([{ created: true }, { created: true }, { created: true }]);
    expect(await engine.batch(id)).toMatchObject({
      id,
      state: "closed",
      total: 3,
      completed: 0,
      waitingJobId: followerId,
    });
    await engine.start();
    expect(await engine.result(followerId ?? "", soon)).toEqual({
      title: "May",
      statuses: ["completed", "failed", "completed"],
    });
    expect(await engine.batch(id)).toMatchObject({ state: "finished", completed: 2, failed: 1 });
    const results = await engine.batchResults(id, { limit: 2 });
    expect(results).toMatchObject([
      { id: jobs[0]?.id, status: "completed", result: "p. 3", error: null },
      { status: "failed", result: null, error: { message: "no such page" } },
    ]);
    expect(await engine.batchResults(id, { after: results[1]?.id ?? "" })).toMatchObject([
      { result: "p. 5" },
    ]);
  });

  test("grows while it is kept open", async () => {
    const engine = anEngine();
    const id = randomUUID();
    const followedBy = { pipeline: report, payload: { title: "all" } };
    const { followerId } = await engine.addBatch(page, pages(1), { id, followedBy, keepOpen: true });
    await engine.addBatch(page, pages(2), { id, keepOpen: true });
    expect(await engine.explain(followerId ?? "")).toMatchObject([{ reason: "waits_for_batch" }]);
    expect(await engine.closeBatch(id)).toBe(true);
    expect(await engine.closeBatch(id)).toBe(false);
    await expect(engine.addBatch(page, pages(3), { id })).rejects.toMatchObject({
      name: "RefusedError",
      message: `Batch ${id} is closed, so no job can join it. Keep a batch open until all its jobs are added.`,
    });
    await engine.start();
    expect(await engine.result(followerId ?? "", soon)).toMatchObject({
      statuses: ["completed", "completed"],
    });
  });

  test("of no jobs is finished at once", async () => {
    const engine = await aWorkingEngine();
    const { followerId } = await engine.addBatch(page, [], {
      followedBy: { pipeline: report, payload: { title: "0" } },
    });
    expect(await engine.result(followerId ?? "", soon)).toEqual({ title: "0", statuses: [] });
  });

  test("is added whole or not at all", async () => {
    const engine = anEngine();
    const bad = [...pages(1), { payload: { number: "two" as never } }];
    await expect(engine.addBatch(page, bad)).rejects.toThrow("The payload is not valid: /number");
    const full = [...pages(1), { payload: { number: 2 }, id: randomUUID(), tags: ["x"], groupKey: "g" }];
    const followedBy = { pipeline: definePipeline<null>("nowhere").stage("s", () => null), payload: null };
    await expect(engine.addBatch(page, full, { followedBy })).rejects.toThrow(
      'There is no pipeline "nowhere".',
    );
    expect(await engine.list()).toEqual([]);
  });

  test("refuses options it does not have", async () => {
    const engine = anEngine();
    const add = (options: object) => engine.addBatch(page, [], options as never);
    await expect(add({ keepopen: true })).rejects.toThrow('Did you mean "keepOpen"?');
    await expect(add({ id: "7" })).rejects.toThrow('A batch id is a UUID; "7" is not one.');
    await expect(add({ followedBy: { payload: 1 } })).rejects.toThrow("{ pipeline, payload }");
    const late = { pipeline: report, payload: { title: "" }, scheduledFor: new Date() };
    await expect(add({ followedBy: late })).rejects.toThrow('takes no "scheduledFor"');
    await expect(engine.batch("x")).rejects.toThrow("A batch id is a UUID");
    expect(await engine.batch(randomUUID())).toBeNull();
  });
});

describe("a fan-out", () => {
  test("hands the next stage what its children returned, in order", async () => {
    const engine = await aWorkingEngine();
    const advanced: string[] = [];
    engine.on("job.advanced", ({ stage, nextStage }) => void advanced.push(`${stage} > ${nextStage}`));
    const { id } = await engine.add(book, { pages: [3, 1, 2] }, { owner: "ada", priority: 3 });
    expect(await engine.result(id, soon)).toEqual({
      asked: 3,
      results: ["p. 3", "p. 1", "p. 2"],
      statuses: ["completed", "completed", "completed"],
    });
    expect(advanced).toEqual(["split > bind"]);
    const children = await engine.list({ pipeline: "page" });
    expect(children.map(({ owner, priority }) => [owner, priority])).toEqual(Array(3).fill(["ada", 3]));
    const attempts = (await engine.get(id))?.attempts.map(({ stage, outcome }) => [stage, outcome]);
    expect(attempts).toEqual([
      ["split", "done"],
      ["bind", "done"],
    ]);
  });

  test("of no children goes on at once", async () => {
    const engine = await aWorkingEngine();
    const { id } = await engine.add(book, { pages: [] });
    expect(await engine.result(id, soon)).toEqual({ asked: 0, results: [], statuses: [] });
  });

  test("fails with the first child that fails, and a retry by hand makes new children", async () => {
    const engine = await aWorkingEngine();
    const { id } = await engine.add(book, { pages: [1, -1] });
    await expect(engine.result(id, soon)).rejects.toThrow(/Child \S+ ended as failed .*: no such page/);
    expect(await engine.get(id)).toMatchObject({ status: "failed", stage: "split" });
    await engine.retry(id);
    await expect(engine.result(id, soon)).rejects.toThrow("no such page");
    expect(await engine.list({ pipeline: "page" })).toHaveLength(4);
  });

  test.each([
    ["continue", ["completed", "failed", "completed"]],
    ["ignore", ["completed", "completed"]],
  ] as const)("goes on past failures under the policy %s", async (onFailure, statuses) => {
    const engine = await aWorkingEngine();
    const { id } = await engine.add(book, { pages: [1, -1, 2], onFailure });
    expect(await engine.result(id, soon)).toEqual({ asked: 3, results: ["p. 1", "p. 2"], statuses });
  });

  test("from the last stage fails with a sentence, as does a child that its pipeline refuses", async () => {
    const last = definePipeline("last").stage("only", () => fanOut(page, pages(1)));
    const wrong = definePipeline("wrong")
      .stage("first", () => fanOut(page, [{ payload: { number: "one" as never } }]))
      .stage("second", () => null);
    const keyed = definePipeline("keyed")
      .stage("first", { maxAttempts: 1 }, () =>
        fanOut(page, [{ payload: { number: 1 }, dedupKey: "k" } as never]),
      )
      .stage("second", () => null);
    const engine = await aWorkingEngine({ pipelines: [page, last, wrong, keyed] });
    const failureOf = async (pipeline: AnyPipeline) => {
      const { id } = await engine.add(pipeline, null);
      return engine.result(id, soon).catch((error: Error) => error.message);
    };
    expect(await failureOf(last)).toContain(
      "Stage last/only is the last of its pipeline, so nothing would wait",
    );
    expect(await failureOf(wrong)).toContain("The payload is not valid: /number");
    expect(await failureOf(keyed)).toContain('A child of a fan-out takes no "dedupKey".');
    expect(await engine.list({ pipeline: "page" })).toEqual([]);
  });

  test("after completeIn adds no children and says so, since the transaction has ended the stage", async () => {
    const client = await db.connect();
    const both = definePipeline("both")
      .stage("first", async ({ completeIn }) => {
        await client.query("begin");
        await completeIn(client, "done in a transaction");
        await client.query("commit");
        return fanOut(page, pages(1));
      })
      .stage("second", ({ output }) => output);
    const engine = await aWorkingEngine({ pipelines: [page, both] });
    const told = new Promise<string>((resolve) => engine.on("job.log", ({ message }) => resolve(message)));
    const { id } = await engine.add(both, null);
    expect(await engine.result(id, soon)).toBe("done in a transaction");
    expect(await told).toContain("A handler that ends its stage in a transaction cannot fan out");
    expect(await engine.list({ pipeline: "page" })).toEqual([]);
  });

  test("to a full pipeline is tried again when there may be room", async () => {
    const narrow = definePipeline<null>("narrow", { maxPending: 1 }).stage("pass", () => null);
    const wide = definePipeline("wide")
      .stage("open", { retry: { kind: "constant", baseMs: 50, jitter: 0 } }, () =>
        fanOut(narrow, [{ payload: null }]),
      )
      .stage("close", () => "closed");
    const engine = anEngine({ pipelines: [narrow, wide] });
    const first = await engine.add(narrow, null);
    await engine.pause(narrow, "pass");
    await engine.start();
    const retried = new Promise((resolve) => engine.on("job.retrying", resolve));
    const { id } = await engine.add(wide, null);
    expect(await retried).toMatchObject({ error: { name: "RefusedError", message: /is full/ } });
    await engine.resume(narrow, "pass");
    await engine.result(first.id, soon);
    expect(await engine.result(id, soon)).toBe("closed");
  });

  test("of 10,000 children works", { timeout: 60_000 }, async () => {
    const many = definePipeline<null>("many")
      .stage("scatter", () =>
        fanOut(
          page,
          Array.from({ length: 10_000 }, (_, number) => ({ payload: { number } })),
        ),
      )
      .stage("gather", async ({ children }) => {
        let next = 0;
        for await (const { result } of children) if (result === `p. ${next}`) next += 1;
        return next;
      });
    const engine = await aWorkingEngine({ pipelines: [page, many] });
    const { id } = await engine.add(many, null);
    expect(await engine.result(id, { timeoutMs: 50_000 })).toBe(10_000);
  });
});
