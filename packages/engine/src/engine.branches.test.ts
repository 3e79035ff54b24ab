// In real time: these are whole engines, with their heartbeat threads and PostgreSQL's clock.
import { testDatabase } from "@lockstep/test-support";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createEngine, type Engine } from "./engine.ts";
import { runChild } from "./jobs/adding/fan-out.ts";
import { finish, giveUp } from "./jobs/outcomes/outcome.ts";
import { type AnyPipeline, definePipeline } from "./jobs/pipelines/pipeline.ts";

const db = testDatabase();
beforeEach(() => db.reset());
afterEach(async () => expect(await db.call("verify")).toEqual([]));

async function aWorkingEngine(...pipelines: AnyPipeline[]): Promise<Engine> {
  const engine = createEngine({ databaseUrl: db.url, pipelines, logger: null });
  onTestFinished(() => engine.stop());
  await engine.start();
  return engine;
}

/** What an engine says of jobs, in order. */
function kindsOf(engine: Engine): string[] {
  const kinds: string[] = [];
  engine.onAny((name, event) => {
    const { stage } = event as { stage?: string };
    if (/^job\.(skipped|branched|advanced|completed)$/.test(name)) kinds.push(`${name} ${stage}`);
  });
  return kinds;
}

const soon = { timeoutMs: 20_000 };
const named = definePipeline("order", { payload: z.object({ name: z.string() }) });

describe("a job", () => {
  test("that is finished early is completed with that result, and runs no other stage", async () => {
    const order = named
      .stage("look", ({ payload }) => (payload.name === "" ? finish({ empty: true }) : 1))
      .stage("write", ({ output }) => ({ empty: output > 1 }));
    const engine = await aWorkingEngine(order);
    const kinds = kindsOf(engine);
    const { id } = await engine.add(order, { name: "" });
    expect(await engine.result(id, soon)).toEqual({ empty: true });
    expect(await engine.get(id)).toMatchObject({
      status: "completed",
      stage: "look",
      attempts: [{ outcome: "done" }],
    });
    expect(kinds).toEqual(["job.completed look"]);
  });

  test("skips stages whose when says no, and what came before passes through", async () => {
    const ran: string[] = [];
    const order = named
      .stage("read", ({ payload }) => payload.name)
      .stage("translate", { when: ({ payload }) => payload.name !== "Ada" }, () => {
        ran.push("translate");
        return "translated";
      })
      .stage("shorten", ({ output }) => output.slice(0, 2))
      .stage(
        "publish",
        { when: ({ output, outputs }) => output !== "Ad" || outputs.read !== "Ada" },
        () => "published",
      );
    const engine = await aWorkingEngine(order);
    const kinds = kindsOf(engine);
    const ada = await engine.add(order, { name: "Ada" });
    expect(await engine.result(ada.id, soon)).toBe("Ad");
    expect((await engine.get(ada.id))?.attempts.map(({ outcome }) => outcome)).toEqual([
      ...["done", "skipped", "done", "skipped"],
    ]);
    expect(ran).toEqual([]);
    expect(kinds).toEqual([
      ...["job.advanced read", "job.skipped translate", "job.advanced shorten", "job.skipped publish"],
      "job.completed publish",
    ]);
    const bob = await engine.add(order, { name: "Bob" });
    expect(await engine.result(bob.id, soon)).toBe("published");
    expect(ran).toEqual(["translate"]);
  });

  test("fails when its stage's when returns no boolean, or throws for the last time", async () => {
    const order = named.stage("read", { when: (() => Promise.resolve(false)) as never }, () => 1);
    const engine = await aWorkingEngine(order);
    const { id } = await engine.add(order, { name: "" });
    await expect(engine.result(id, soon)).rejects.toThrow(
      /when of stage order\/read must return true or false/,
    );
  });
});

describe("a parallel stage", () => {
  const counted = definePipeline<string>("counted")
    .stage("count", ({ payload }) => payload.length)
    .stage("double", ({ output }) => output * 2);

  test("runs its branches side by side, with payload and output, and the next stage gets their results", async () => {
    const begun = new Set<string>();
    let allBegun = () => {};
    const together = new Promise<void>((resolve) => {
      allBegun = resolve;
    });
    const meet = async (name: string) => {
      begun.add(name);
      if (begun.size === 2) allBegun();
      await together;
    };
    const order = named
      .stage("quote", () => ({ price: 5 }))
      .parallel("enrich", {
        logo: async ({ payload, output, outputs }) => {
          await meet("logo");
          return `${payload.name} for ${output.price} or ${outputs.quote.price}`;
        },
        text: [{ maxAttempts: 1 }, () => meet("text")],
        count: [counted, ({ payload }) => payload.name],
      })
      .stage("ship", ({ output }) => output);
    const engine = await aWorkingEngine(order);
    const kinds = kindsOf(engine);
    const { id } = await engine.add(order, { name: "Ada" }, { owner: "ada" });
    expect(await engine.result(id, soon)).toEqual({ logo: "Ada for 5 or 5", text: null, count: 6 });
    expect(kinds).toContain("job.branched enrich");
    const branches = await engine.branches(id);
    expect(branches).toMatchObject([
      {
        stage: "enrich",
        branch: "logo",
        pipeline: "order:enrich:logo",
        status: "completed",
        onFailure: "fail",
      },
      { branch: "text" },
      { branch: "count", pipeline: "counted" },
    ]);
    expect(await engine.get(branches[0]?.jobId ?? "")).toMatchObject({
      parentId: id,
      branch: "logo",
      owner: "ada",
    });
    expect(await engine.reader().pipelines()).toMatchObject([
      { name: "counted", branchOf: null },
      {
        name: "order",
        stages: [{ name: "quote" }, { branches: ["logo", "text", "count"] }, { name: "ship" }],
      },
      { name: "order:enrich:logo", branchOf: "order" },
      { name: "order:enrich:text", branchOf: "order" },
    ]);
    expect(await engine.check()).toEqual([]);
  });

  test("as the first and last stage completes the job with the results", async () => {
    const order = named.parallel(
      "ask",
      { one: ({ payload }) => payload.name, two: () => giveUp("no"), three: () => giveUp("nor this") },
      { onFailure: { two: "ignore", three: "continue" } },
    );
    const engine = await aWorkingEngine(order);
    const { id } = await engine.add(order, { name: "Ada" });
    const result = await engine.result(id, soon);
    expect(result).toMatchObject({ one: "Ada", three: { status: "failed", error: { message: "nor this" } } });
    expect(result).not.toHaveProperty("two");
  });

  test("whose branch fails fails with it, and retried keeps the branches that were done", async () => {
    const runs: string[] = [];
    let isBroken = true;
    const order = named
      .parallel("ask", {
        one: async ({ once }) => {
          runs.push("one");
          return once("paid", () => runs.filter((name) => name === "one").length);
        },
        two: [
          { maxAttempts: 1 },
          async ({ once }) => {
            const paid = await once("paid", () => runs.push("two paid") && "kept");
            if (isBroken) throw new Error("broken");
            return paid;
          },
        ],
      })
      .stage("end", ({ output }) => output);
    const engine = await aWorkingEngine(order);
    const { id } = await engine.add(order, { name: "" });
    await expect(engine.result(id, soon)).rejects.toThrow(/Branch "two" .* ended as failed .*: broken/);
    isBroken = false;
    expect(await engine.retry(id)).toMatchObject({ answer: "applied" });
    expect(await engine.result(id, soon)).toEqual({ one: 1, two: "kept" });
    expect(runs.filter((name) => name === "two paid")).toHaveLength(1);
  });

  test("that is cancelled stops its branches", async () => {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const order = named.parallel("ask", {
      slow: ({ signal }) => {
        begin();
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const engine = await aWorkingEngine(order);
    const { id } = await engine.add(order, { name: "" });
    await begun;
    const cancelled = new Promise<string>((resolve) => {
      engine.on("job.cancelled", ({ jobId }) => jobId !== id && resolve(jobId));
    });
    expect(await engine.cancel(id)).toBe("cancelled");
    const jobId = await cancelled;
    expect(await engine.branches(id)).toMatchObject([{ jobId, status: "cancelled" }]);
  });
});

test("a single child is as easy as a call, with its result in the next stage or as the job's", async () => {
  const words = definePipeline<string>("words").stage("count", ({ payload }) => payload.length);
  const order = named
    .stage("ask", ({ payload }) => runChild(words, payload.name))
    .stage("again", ({ output }) => runChild(words, "x".repeat(output + 1)));
  const engine = await aWorkingEngine(order, words);
  const { id } = await engine.add(order, { name: "Ada" });
  expect(await engine.result(id, soon)).toBe(4);
  expect(await engine.branches(id)).toMatchObject([
    { stage: "ask", branch: null, pipeline: "words" },
    { stage: "again", branch: null },
  ]);
});

test("a fork runs a completed job again from a stage, with what came before", async () => {
  let reads = 0;
  const order = named
    .stage("read", () => ++reads)
    .parallel("ask", { plus: ({ output }) => output + 10 })
    .stage("write", ({ output, outputs }) => [outputs.read, output.plus]);
  const engine = await aWorkingEngine(order);
  const { id } = await engine.add(order, { name: "Ada" });
  expect(await engine.result(id, soon)).toEqual([1, 11]);
  const forked = await engine.fork(id, { fromStage: "ask" });
  if (forked.id === null) throw new Error("It was not forked.");
  expect(await engine.result(forked.id, soon)).toEqual([1, 11]);
  expect(reads).toBe(1);
  expect(await engine.get(forked.id)).toMatchObject({ forkedFrom: id, status: "completed" });
  expect((await engine.branches(forked.id))[0]?.jobId).not.toBe((await engine.branches(id))[0]?.jobId);
  const last = await engine.fork(id, { fromStage: "write" });
  expect(await engine.result(last.id ?? "", soon)).toEqual([1, 11]);
});
