import { recordEvents, testDatabase } from "@lockstep/test-support";
import * as opentelemetry from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createEngine, type Engine } from "../engine.ts";
import { PermanentError } from "../jobs/outcomes/outcome.ts";
import { type AnyPipeline, definePipeline } from "../jobs/pipelines/pipeline.ts";
import { JobTracing } from "./job-tracing.ts";

const { SpanKind, SpanStatusCode, trace } = opentelemetry;
const db = testDatabase();
const exporter = new InMemorySpanExporter();

beforeEach(async () => {
  await db.reset();
  exporter.reset();
  opentelemetry.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
});

afterEach(() => {
  trace.disable();
  opentelemetry.context.disable();
});

function anEngine(pipeline: AnyPipeline): Engine {
  const engine = createEngine({
    databaseUrl: db.url,
    pipelines: [pipeline],
    telemetry: opentelemetry,
    logger: null,
    stopGraceMs: 50,
  });
  onTestFinished(() => engine.stop());
  return engine;
}

/** The span of this name, once it has ended; spans end before the database has confirmed the end of the attempt. */
function spanOf(name: string): ReadableSpan {
  const found = exporter.getFinishedSpans().find((span) => span.name === name);
  if (found === undefined) throw new Error(`No span ${name} has ended.`);
  return found;
}

const instantOf = ([seconds, nanoseconds]: [number, number]) =>
  Math.round(seconds * 1_000 + nanoseconds / 1_000_000);

describe("the spans of a job", () => {
  test("tell of its add and of each attempt, and the attempts are linked to the add", async () => {
    const orders = definePipeline("orders")
      .stage("read", () => 1)
      .stage("send", () => 2);
    const engine = anEngine(orders);
    const { id } = await engine.add(orders, {});
    await engine.start();
    await engine.result(id);

    const add = spanOf("add orders");
    expect(add.kind).toBe(SpanKind.PRODUCER);
    expect(add.attributes).toEqual({
      "messaging.system": "lockstep",
      "messaging.operation.name": "add",
      "messaging.operation.type": "send",
      "messaging.destination.name": "orders",
      "messaging.message.id": id,
      "lockstep.created": true,
    });
    for (const stage of ["read", "send"]) {
      const attempt = spanOf(`orders/${stage}`);
      expect(attempt.kind).toBe(SpanKind.CONSUMER);
      expect(attempt.attributes).toEqual({
        "messaging.system": "lockstep",
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": "orders",
        "messaging.message.id": id,
        "lockstep.stage": stage,
        "lockstep.attempt": 1,
        "lockstep.outcome": "done",
      });
      expect(attempt.status.code).toBe(SpanStatusCode.UNSET);
      // A trace of its own.
      expect(attempt.parentSpanContext).toBeUndefined();
      expect(attempt.spanContext().traceId).not.toBe(add.spanContext().traceId);
      expect(attempt.links).toMatchObject([
        { context: { traceId: add.spanContext().traceId, spanId: add.spanContext().spanId } },
      ]);
    }
  });

  test("tell the same of an add and an end in the caller's own transactions", async () => {
    const tx = await db.connect();
    const orders = definePipeline("orders").stage("read", async ({ completeIn }) => {
      await tx.query("begin");
      await completeIn(tx, null);
      await tx.query("commit");
    });
    const engine = anEngine(orders);
    await tx.query("begin");
    const { id } = await engine.add(orders, {}, { tx });
    await tx.query("commit");
    const events = recordEvents(engine);
    await engine.start();
    await events.next("job.completed", ({ jobId }) => jobId === id);

    const attempt = spanOf("orders/read");
    expect(attempt.attributes["lockstep.outcome"]).toBe("done");
    expect(attempt.status.code).toBe(SpanStatusCode.UNSET);
    expect(attempt.links).toMatchObject([
      { context: { traceId: spanOf("add orders").spanContext().traceId } },
    ]);
  });

  test("have as children what the handler makes, before and after it waits, and the caller's as parent", async () => {
    const tracer = trace.getTracer("handler");
    const orders = definePipeline("orders").stage("read", async () => {
      tracer.startSpan("before").end();
      await new Promise((resolve) => setImmediate(resolve));
      tracer.startSpan("after").end();
    });
    const engine = anEngine(orders);
    // A worker that is started within a span, or woken there by an add, is not part of that span.
    await tracer.startActiveSpan("boot", () => engine.start());
    await tracer.startActiveSpan("request", async (request) => {
      const { id } = await engine.add(orders, {});
      await engine.result(id);
      request.end();
    });
    const attempt = spanOf("orders/read");
    expect(attempt.parentSpanContext).toBeUndefined();
    expect(spanOf("add orders").parentSpanContext?.spanId).toBe(spanOf("request").spanContext().spanId);
    for (const name of ["before", "after"]) {
      expect(spanOf(name).parentSpanContext?.spanId, name).toBe(attempt.spanContext().spanId);
    }
  });

  test("of one call of a batch handler are one each, and one for the call, which is linked to them", async () => {
    const tracer = trace.getTracer("handler");
    const orders = definePipeline<number>("orders").stage("read", { batch: { size: 10 } }, async (jobs) => {
      await new Promise((resolve) => setImmediate(resolve));
      tracer.startSpan("request").end();
      return jobs.map(async ({ payload }) => {
        if (payload === 2) throw new PermanentError("not 2");
      });
    });
    const engine = anEngine(orders);
    const added = await engine.addMany(orders, [{ payload: 1 }, { payload: 2 }]);
    await engine.start();
    await Promise.allSettled(added.map(({ id }) => engine.result(id)));
    const attempts = exporter.getFinishedSpans().filter(({ name }) => name === "orders/read");
    const outcomes = attempts.map(({ attributes }) => attributes["lockstep.outcome"]);
    expect(outcomes.sort()).toEqual(["done", "failed"]);
    const call = spanOf("call orders/read");
    expect(call.attributes).toMatchObject({ "messaging.batch.message_count": 2, "lockstep.stage": "read" });
    const spanIds = attempts.map((attempt) => attempt.spanContext().spanId);
    expect(call.links.map(({ context }) => context.spanId).sort()).toEqual(spanIds.sort());
    expect(spanOf("request").parentSpanContext?.spanId).toBe(call.spanContext().spanId);
  });

  test("record what an attempt failed with", async () => {
    const orders = definePipeline("orders").stage("read", () => {
      throw new PermanentError("no such order", { cause: new RangeError("page 7") });
    });
    const engine = anEngine(orders);
    const { id } = await engine.add(orders, {});
    await engine.start();
    await expect(engine.result(id)).rejects.toThrow();
    const attempt = spanOf("orders/read");
    expect(attempt.status).toEqual({ code: SpanStatusCode.ERROR, message: "no such order" });
    expect(attempt.attributes).toMatchObject({
      "lockstep.outcome": "failed",
      "error.type": "PermanentError",
    });
    expect(attempt.events).toMatchObject([
      {
        name: "exception",
        attributes: {
          "exception.type": "PermanentError",
          "exception.message": "no such order",
          "exception.stacktrace": expect.stringMatching(
            /^PermanentError: no such order\n(?: {4}at .*\n)+Caused by: RangeError: page 7\n {4}at .*job-tracing\.test\.ts/,
          ),
        },
      },
    ]);
  });

  test("tell how long it waited for a signal or slept, by those who ended that", async () => {
    const orders = definePipeline("orders")
      .stage("read", () => 1)
      .wait("approval", {})
      .sleep("pause", { forMs: 20 })
      .stage("send", () => 2);
    const engine = anEngine(orders);
    const { id } = await engine.add(orders, {});
    await engine.start();
    await expect.poll(async () => (await engine.get(id))?.wait?.signal).toBe("approval");
    expect(await engine.signal(orders, id, "approval", "yes")).toBe("signalled");
    await engine.result(id);
    await expect.poll(() => exporter.getFinishedSpans().map(({ name }) => name)).toContain("orders/pause");

    const add = spanOf("add orders");
    const waits = (await engine.get(id))?.waits ?? [];
    expect(waits.map(({ stage }) => stage)).toEqual(["approval", "pause"]);
    for (const { stage, outcome, since, endedAt } of waits) {
      const span = spanOf(`orders/${stage}`);
      expect(span.kind).toBe(SpanKind.INTERNAL);
      expect(span.attributes).toEqual({
        "messaging.system": "lockstep",
        "messaging.operation.name": "wait",
        "messaging.destination.name": "orders",
        "messaging.message.id": id,
        "lockstep.stage": stage,
        "lockstep.outcome": outcome,
      });
      expect(opentelemetry.isSpanContextValid(span.spanContext())).toBe(true);
      expect(instantOf(span.startTime)).toBe(since.getTime());
      expect(instantOf(span.endTime)).toBe(endedAt.getTime());
      expect(span.status.code).toBe(SpanStatusCode.UNSET);
      expect(span.links).toMatchObject([{ context: { spanId: add.spanContext().spanId } }]);
    }
  });

  test("record that it failed with its wait", async () => {
    const orders = definePipeline("orders")
      .stage("read", () => 1)
      .wait("approval", { timeoutMs: 10 })
      .stage("send", () => 2);
    const engine = anEngine(orders);
    const { id } = await engine.add(orders, {});
    await engine.start();
    await expect(engine.result(id)).rejects.toThrow();
    await expect.poll(() => exporter.getFinishedSpans().map(({ name }) => name)).toContain("orders/approval");
    expect(spanOf("orders/approval")).toMatchObject({
      attributes: { "lockstep.outcome": "timed_out", "error.type": "WaitTimeoutError" },
      status: { code: SpanStatusCode.ERROR, message: expect.stringContaining("timed out") },
    });
  });

  test("end once with a handler that never does", async () => {
    const orders = definePipeline("orders").stage(
      "read",
      { timeoutMs: 50, maxAttempts: 1 },
      () => new Promise<never>(() => {}),
    );
    const engine = anEngine(orders);
    const told = recordEvents(engine);
    await engine.add(orders, {});
    await engine.start();
    await told.next("job.failed");
    expect(exporter.getFinishedSpans().filter(({ name }) => name === "orders/read")).toHaveLength(1);
    expect(spanOf("orders/read").attributes).toMatchObject({
      "lockstep.outcome": "timeout",
      "error.type": "TimeoutError",
    });
  });

  test("of many jobs added at once begin with one, which all of them carry", async () => {
    const orders = definePipeline("orders").stage("read", () => 1);
    const engine = anEngine(orders);
    const added = await engine.addMany(orders, [{ payload: 1 }, { payload: 2 }]);
    await engine.start();
    await Promise.all(added.map(({ id }) => engine.result(id)));
    const add = spanOf("add orders");
    expect(add.attributes).toMatchObject({ "messaging.batch.message_count": 2 });
    const attempts = exporter.getFinishedSpans().filter(({ name }) => name === "orders/read");
    expect(attempts.map(({ links }) => links[0]?.context.spanId)).toEqual([
      add.spanContext().spanId,
      add.spanContext().spanId,
    ]);
  });

  test("record an add that is refused", async () => {
    const orders = definePipeline("orders").stage("read", () => 1);
    const engine = anEngine(orders);
    await expect(engine.add(orders, {}, { priority: 99 })).rejects.toThrow();
    expect(spanOf("add orders")).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: expect.stringContaining("priority") },
    });
  });
});

describe("tracing", () => {
  test("is off, and costs nothing, while no SDK is registered or none is given", () => {
    trace.disable();
    expect(JobTracing.from(opentelemetry, "1")).toBeNull();
    expect(JobTracing.from(null, "1")).toBeNull();
  });

  test("makes no link of a trace that cannot be read", () => {
    const run = {
      jobId: "1",
      pipeline: "orders",
      stage: "read",
      attempt: 1,
      claim: { more: { trace: "nonsense" } },
    };
    JobTracing.from(opentelemetry, "1")?.attempt(run).end({ kind: "snooze", forMs: 1 });
    expect(spanOf("orders/read")).toMatchObject({ links: [], attributes: { "lockstep.outcome": "snoozed" } });
  });
});
