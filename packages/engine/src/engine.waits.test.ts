import { recordEvents, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createEngine, type Engine } from "./engine.ts";
import { type AnyPipeline, definePipeline } from "./jobs/pipelines/pipeline.ts";

const db = testDatabase();
beforeEach(() => db.reset());

const days = (count: number) => count * 86_400_000;
const decision = z.object({ approved: z.boolean(), by: z.string() });

const order = definePipeline<{ item: string }>("order")
  .stage("quote", ({ payload }) => ({ item: payload.item, price: 5 }))
  .wait("approval", { signal: decision, timeoutMs: days(3) })
  .stage("ship", ({ output, outputs }) => {
    expectTypeOf(output).toEqualTypeOf<{ approved: boolean; by: string }>();
    expectTypeOf(outputs.quote).toEqualTypeOf<{ item: string; price: number }>();
    return { shipped: output.approved, for: outputs.quote.price };
  });

function engineWith(...pipelines: AnyPipeline[]): Engine {
  const engine = createEngine({ databaseUrl: db.url, pipelines, connections: 3 });
  onTestFinished(() => engine.stop());
  return engine;
}

/** Waits until the job is in this stage and waits there. */
async function waitsIn(engine: Engine, id: string, stage: string): Promise<void> {
  await expect
    .poll(async () => (await engine.get(id))?.wait?.signal ?? null, { timeout: 10_000 })
    .toBe(stage);
}

describe("a job that waits for a signal", () => {
  test("goes on with what the signal says, to the end", async () => {
    const engine = engineWith(order);
    await engine.start();
    const { id } = await engine.add(order, { item: "lamp" });
    await waitsIn(engine, id, "approval");
    expect(await engine.signal(order, id, "approval", { approved: true, by: "ada" })).toBe("signalled");
    expect(await engine.result(id, { timeoutMs: 10_000 })).toEqual({ shipped: true, for: 5 });
    expect(await engine.get(id)).toMatchObject({
      wait: null,
      waits: [{ stage: "approval", outcome: "signalled", by: null }],
      outputs: { approval: { approved: true, by: "ada" } },
    });
    expect(await engine.verify()).toEqual([]);
  });

  test("takes a signal that came before it was there", async () => {
    const engine = engineWith(order);
    const { id } = await engine.add(order, { item: "lamp" });
    expect(await engine.signal(id, "approval", { approved: false, by: "ada" })).toBe("kept");
    expect(await engine.signal(id, "approval", { approved: true, by: "bob" })).toBe("already_signalled");
    await engine.start();
    expect(await engine.result(id, { timeoutMs: 10_000 })).toEqual({ shipped: false, for: 5 });
  });

  test("is told of by an event of the engine that signals it", async () => {
    const engine = engineWith(order);
    await engine.start();
    const events = recordEvents(engine);
    const { id } = await engine.add(order, { item: "lamp" });
    await waitsIn(engine, id, "approval");
    await engine.signal(id, "approval", { approved: true, by: "ada" });
    expect(await events.next("job.signalled")).toMatchObject({ jobId: id, signal: "approval" });
  });
});

test("a sleep ends when its time is over, and hands on the output of the stage before it", async () => {
  const nap = definePipeline("nap")
    .stage("first", () => ({ n: 7 }))
    .sleep("rest", { forMs: 300 })
    .stage("last", ({ output }) => {
      expectTypeOf(output).toEqualTypeOf<{ n: number }>();
      return output.n + 1;
    });
  const engine = engineWith(nap);
  await engine.start();
  const { id } = await engine.add(nap, {});
  expect(await engine.result(id, { timeoutMs: 20_000 })).toBe(8);
  const [slept] = (await engine.get(id))?.waits ?? [];
  expect(slept).toMatchObject({ stage: "rest", outcome: "slept" });
  expect(Number(slept?.endedAt) - Number(slept?.since)).toBeGreaterThanOrEqual(300);
});

describe("a wait that times out", () => {
  test("fails its job with a sentence", async () => {
    const hasty = definePipeline("hasty")
      .stage("ask", () => null)
      .wait("answer", { signal: z.string(), timeoutMs: 100 })
      .stage("use", ({ output }) => output);
    const engine = engineWith(hasty);
    await engine.start();
    const { id } = await engine.add(hasty, {});
    await expect(engine.result(id, { timeoutMs: 20_000 })).rejects.toThrow(
      'The wait "answer" timed out: no signal came within 0.1 s.',
    );
  });

  test("goes on without a value where it says so, and its types know it", async () => {
    const patient = definePipeline("patient")
      .stage("ask", () => null)
      .wait("answer", { signal: z.string(), timeoutMs: 100, onTimeout: "continue" })
      .stage("use", ({ output }) => {
        expectTypeOf(output).toEqualTypeOf<string | null>();
        return output ?? "nothing";
      });
    const engine = engineWith(patient);
    await engine.start();
    const { id } = await engine.add(patient, {});
    expect(await engine.result(id, { timeoutMs: 20_000 })).toBe("nothing");
  });

  test("jumps to a later stage that it names, whose types know what may be missing", async () => {
    const jumping = definePipeline("jumping")
      .stage("ask", () => ({ asked: true }))
      .wait("answer", { signal: z.string(), timeoutMs: 100, onTimeout: "close" })
      .stage("use", ({ output }) => output.length)
      .stage("close", ({ output, outputs }) => {
        expectTypeOf(output).toEqualTypeOf<number | null>();
        expectTypeOf(outputs.ask).toEqualTypeOf<{ asked: boolean }>();
        expectTypeOf(outputs.answer).toEqualTypeOf<string | undefined>();
        return { output, answer: outputs.answer ?? "none", asked: outputs.ask.asked };
      });
    const engine = engineWith(jumping);
    await engine.start();
    const { id } = await engine.add(jumping, {});
    expect(await engine.result(id, { timeoutMs: 20_000 })).toEqual({
      output: null,
      answer: "none",
      asked: true,
    });
  });
});
