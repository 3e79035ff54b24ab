// In real time: these are whole engines, with their heartbeat threads and PostgreSQL's clock.
import { randomUUID } from "node:crypto";
import { recordEvents, recordThreads, testDatabase } from "@lockstep/test-support";
import {
  type Added,
  ConfigError,
  createEngine,
  DatabaseUnavailableError,
  definePipeline,
  type Engine,
  type EngineOptions,
  giveUp,
  type Job,
  JobCancelledError,
  JobFailedError,
  type JobId,
  PermanentError,
  RefusedError,
  ResultTimeoutError,
  SchemaMissingError,
} from "lockstep";
import { beforeEach, describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";

// Generous: a busy machine is slow.
const soon = { timeout: 25_000 };
const db = testDatabase();
beforeEach(() => db.reset());

const analysis = definePipeline("analysis", { payload: z.object({ url: z.string().trim() }) })
  .stage("read", ({ payload }) => ({ words: payload.url.length }))
  .stage("ask", async ({ output, outputs }) => [output.words, outputs.read.words])
  .stage("answer", ({ output, payload }) => ({ text: `${payload.url}: ${output.join("+")}` }));

function anEngine(options: Partial<EngineOptions> = {}): Engine {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [analysis], logger: null, ...options });
  onTestFinished(() => engine.stop());
  return engine;
}

describe("with one worker", () => {
  const broken = { isBroken: true };
  const orders = definePipeline<{ order: number }>("orders")
    .stage("read", ({ payload }) => payload.order)
    .stage("send", { maxAttempts: 1 }, ({ output }) => {
      if (broken.isBroken) throw new PermanentError("the post office is closed");
      return { sent: output };
    });
  const held = definePipeline("held").stage(
    "hold",
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  async function aWorker(): Promise<Engine> {
    const worker = anEngine({ pipelines: [analysis, orders, held] });
    await worker.start();
    return worker;
  }

  test("a job goes through its stages to a typed result", async () => {
    const worker = await aWorker();
    const added = await worker.add(analysis, { url: " lockstep " });
    expect(added).toEqual({ id: expect.any(String), created: true, status: "pending" });
    const result = await worker.result(added.id);
    expect(result).toEqual({ text: "lockstep: 8+8" });
    expectTypeOf(result).toEqualTypeOf<{ text: string }>();
    const job = await worker.get(added.id);
    expect(job).toMatchObject({
      status: "completed",
      payload: { url: " lockstep " },
      outputs: { read: { words: 8 }, ask: [8, 8] },
      result: { text: "lockstep: 8+8" },
      attempts: [{ stage: "read" }, { stage: "ask" }, { stage: "answer", outcome: "done" }],
    });
  });

  test("what one engine adds, another's worker runs, and the first may wait for the result", async () => {
    await aWorker();
    const client = anEngine();
    const { id } = await client.add(analysis, { url: "a" });
    expect(await client.result(id, { timeoutMs: 10_000 })).toEqual({ text: "a: 1+1" });
  });

  test("many are added at once and all complete", async () => {
    const worker = await aWorker();
    const added = await worker.addMany(
      analysis,
      Array.from({ length: 50 }, (_, n) => ({ payload: { url: "x".repeat(n) }, priority: 1 + (n % 20) })),
    );
    const results = await Promise.all(added.map(({ id }) => worker.result(id)));
    expect(results[49]?.text).toMatch(/: 49\+49$/);
    expect(await worker.verify()).toEqual([]);
  });

  test("a failed job says why, and runs again from a chosen stage", async () => {
    const worker = await aWorker();
    broken.isBroken = true;
    const { id } = await worker.add(orders, { order: 7 });
    const failure = await worker.result(id).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(JobFailedError);
    expect(failure).toMatchObject({ jobId: id, error: { message: "the post office is closed" } });
    broken.isBroken = false;
    await expect(worker.retry(id, { fromStage: "nowhere" })).rejects.toThrow(RefusedError);
    expect(await worker.retry(id, { fromStage: "read" })).toEqual({ answer: "applied", twinId: null });
    expect(await worker.result(id)).toEqual({ sent: 7 });
    expect((await worker.get(id))?.attempts.map(({ stage, outcome }) => `${stage} ${outcome}`)).toEqual([
      "read done",
      "send failed",
      "read done",
      "send done",
    ]);
    expect(await worker.retry(id)).toEqual({ answer: "not_finished", twinId: null });
  });

  test("a running job is cancelled through its signal, a waiting one at once", async () => {
    const worker = await aWorker();
    const client = anEngine({ pipelines: [held] });
    const [heard, told] = [recordEvents(worker), recordEvents(client)];
    const { id } = await worker.add(held, null);
    await heard.next("job.started");
    const result = worker.result(id).catch((error: unknown) => error);
    expect(await client.cancel(id)).toBe("cancel_requested");
    expect(await result).toBeInstanceOf(JobCancelledError);
    const later = await client.add(held, null, { scheduledFor: new Date(Date.now() + 60_000) });
    expect(await client.cancel(later.id)).toBe("cancelled");
    expect(await client.cancel(later.id)).toBe("already_finished");
    expect(told.all("job.cancelled")).toEqual([{ jobId: later.id }]);
  });

  test("a paused stage holds its jobs until it is resumed", async () => {
    const worker = await aWorker();
    expect(await worker.pause(analysis, "ask")).toBe(true);
    const { id } = await worker.add(analysis, { url: "a" });
    await expect.poll(async () => (await worker.get(id))?.stage, soon).toBe("ask");
    expect((await worker.explain(id))[0]).toMatchObject({ reason: "paused" });
    expect(await worker.resume("analysis", "ask")).toBe(true);
    expect(await worker.result(id)).toEqual({ text: "a: 1+1" });
  });

  test("what runs in a stage that is paused runs on, and what comes after it waits", async () => {
    let open = (_said: string) => {};
    const gate = new Promise<string>((resolve) => {
      open = resolve;
    });
    const waiting = definePipeline("waiting").stage("hold", { processors: 1 }, () => gate);
    const worker = anEngine({ pipelines: [waiting] });
    const heard = recordEvents(worker);
    await worker.start();
    const { id: running } = await worker.add(waiting, null);
    await heard.next("job.started");
    await worker.pause(waiting, "hold");
    const { id: later } = await worker.add(waiting, null);
    open("done");
    expect(await worker.result(running)).toBe("done");
    expect(await worker.get(later)).toMatchObject({ status: "pending", attempt: 0 });
    expect((await worker.explain(later))[0]).toMatchObject({ reason: "paused" });
    await worker.resume(waiting, "hold");
    expect(await worker.result(later)).toBe("done");
  });

  test("it installs no handlers in its process, neither for signals nor for errors nor for the end", async () => {
    const names = [
      "SIGTERM",
      "SIGINT",
      "SIGHUP",
      "exit",
      "beforeExit",
      "uncaughtException",
      "unhandledRejection",
    ];
    const listeners = () => names.map((name) => process.listenerCount(name));
    const before = listeners();
    const worker = await aWorker();
    const { id } = await worker.add(analysis, { url: "a" });
    await worker.result(id);
    expect(listeners()).toEqual(before);
    await worker.stop();
    expect(listeners()).toEqual(before);
  });

  test("it is seen among the workers, in its health, and the counts", async () => {
    const worker = await aWorker();
    const { id } = await worker.add(analysis, { url: "a" });
    await worker.result(id);
    expect(await worker.workers()).toMatchObject([
      { isAlive: true, stages: expect.arrayContaining(["orders/send"]) },
    ]);
    expect(worker.health()).toMatchObject({ problems: [], stages: expect.any(Array) });
    await expect.poll(() => worker.notifyLagMs(), soon).toEqual(expect.any(Number));
    const stats = await worker.stats();
    expect(stats).toContainEqual({
      pipeline: "analysis",
      stage: "answer",
      status: "completed",
      jobs: 1,
      paused: false,
    });
    expect(await worker.resetStalled()).toBe(0);
  });

  test("its events tell a job's way", async () => {
    const worker = anEngine();
    const heard = recordEvents(worker);
    const completed: string[] = [];
    const leave = worker.on("job.completed", ({ jobId }) => completed.push(jobId));
    await worker.start();
    const { id } = await worker.add(analysis, { url: "a" });
    await worker.result(id);
    expect(completed).toEqual([id]);
    // A worker may be woken, and have claimed, before the answer comes to the add or to the call that ended a stage: when
    // that comes says nothing about the job's way.
    const answers = ["job.added", "job.advanced"];
    const answered = heard.names().filter((name) => answers.includes(name));
    expect(answered.sort()).toEqual(["job.added", "job.advanced", "job.advanced"]);
    const ofJob = heard.names().filter((name) => name.startsWith("job.") && !answers.includes(name));
    const stage = ["job.claimed", "job.started"];
    expect(ofJob).toEqual([...stage, ...stage, ...stage, "job.completed"]);
    leave();
    await worker.result((await worker.add(analysis, { url: "b" })).id);
    expect(completed).toEqual([id]);
  });
});

describe("as a client only", () => {
  test("a pipeline goes by its name: its own checked by its schema, another process's by PostgreSQL", async () => {
    await anEngine().add("analysis", { url: "a" });
    const stranger = anEngine({ pipelines: [] });
    await stranger.addMany("analysis", [{ payload: { url: "b" } }, { payload: { url: "c" } }]);
    await expect(stranger.addMany("analysis", [{ payload: { url: "d" } }, { payload: "e" }])).rejects.toThrow(
      'does not fit the schema of pipeline "analysis"',
    );
    expect(await stranger.list()).toHaveLength(3);
    await expect(anEngine().add("analysis", { url: 7 })).rejects.toThrow("/url");
    await expect(stranger.add("unknown", {})).rejects.toThrow('There is no pipeline "unknown"');
    await expect(stranger.add('an","evil":"name', {})).rejects.toThrow("A pipeline name is");
  });

  test("it adds, reads and steers, and never works", async () => {
    const engine = anEngine();
    const { id } = await engine.add(analysis, { url: "a" }, { priority: 3, owner: "ada", tags: ["t"] });
    expect(await engine.list({ owner: "ada" })).toMatchObject([
      { id, status: "pending", priority: 3, tags: ["t"] },
    ]);
    expect(await engine.explain(id)).toMatchObject([{ reason: "no_worker" }, { reason: "waiting" }]);
    expect(await engine.workers()).toEqual([]);
    expect(engine.health()).toBeNull();
    expect(await engine.notifyLagMs()).toBeNull();
    await expect(engine.result(id, { timeoutMs: 50 })).rejects.toThrow(ResultTimeoutError);
    expect(await engine.get(id)).toMatchObject({ status: "pending", attempt: 0 });
  });

  test("it knows no job under an id that was never given", async () => {
    const engine = anEngine();
    const nobody = randomUUID();
    expect(await engine.get(nobody)).toBeNull();
    expect(await engine.cancel(nobody)).toBe("not_found");
    expect(await engine.retry(nobody)).toEqual({ answer: "not_found", twinId: null });
  });

  test("it refuses what is no id with a sentence", async () => {
    const engine = anEngine();
    const calls = [
      engine.get("42"),
      engine.cancel("42"),
      engine.retry("42"),
      engine.explain("42"),
      engine.result("42"),
    ];
    for (const call of [...calls, engine.list({ before: "42" })]) {
      await expect(call).rejects.toThrow('"42" is not a job id: ids are UUIDs, as add() returns them.');
    }
  });

  test("it refuses a pipeline that nobody has defined", async () => {
    const engine = anEngine();
    const other = definePipeline("other").stage("s", () => 1);
    await expect(engine.add(other, 1)).rejects.toThrow(/There is no pipeline "other"/);
  });
});

describe("starting and stopping", () => {
  test("started twice it is one worker", async () => {
    const engine = anEngine();
    const heard = recordEvents(engine);
    await Promise.all([engine.start(), engine.start()]);
    await engine.start();
    expect(await engine.workers()).toHaveLength(1);
    expect(heard.all("engine.started")).toHaveLength(1);
  });

  test("stopped before it started, and twice, it just ends", async () => {
    const engine = anEngine();
    const heard = recordEvents(engine);
    await Promise.all([engine.stop(), engine.stop()]);
    await engine.stop();
    expect(heard.names()).toEqual(["engine.stopping", "engine.stopped"]);
  });

  test("once stopped it neither starts nor does anything else, and says so", async () => {
    const engine = anEngine();
    await engine.stop();
    await expect(engine.start()).rejects.toThrow(/This engine was stopped and does not start again/);
    await expect(engine.add(analysis, { url: "a" })).rejects.toThrow(/This engine was stopped/);
    await expect(engine.get(randomUUID())).rejects.toThrow(DatabaseUnavailableError);
  });

  test("stopped while it waits for a result, it says so to whoever waits", async () => {
    const engine = anEngine();
    const { id } = await engine.add(analysis, { url: "a" });
    const waiting = engine.result(id).catch((error: unknown) => error);
    await engine.stop();
    expect(await waiting).toMatchObject({ name: "WaitingStoppedError", jobId: id });
  });

  test("stopped while jobs are added, it sends those first", async () => {
    const engine = anEngine();
    const one = Array.from({ length: 5 }, () => engine.add(analysis, { url: "a" }));
    // Under way, so that the others wait for their turn.
    await one[0];
    const adds = [
      ...Array.from({ length: 5 }, () => engine.add(analysis, { url: "b" })),
      engine.addMany(analysis, [{ payload: { url: "c" } }]),
    ];
    await engine.stop();
    await expect(Promise.all(adds)).resolves.toHaveLength(6);
    await expect(engine.add(analysis, { url: "too late" })).rejects.toThrow("This engine was stopped");
    expect(await db.query("select from lockstep.jobs")).toHaveLength(11);
  });

  test("a second stop cuts the drain short", async () => {
    const slow = definePipeline("slow").stage(
      "hold",
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    const engine = anEngine({ pipelines: [slow], drainTimeoutMs: 60_000 });
    const heard = recordEvents(engine);
    await engine.start();
    const { id } = await engine.add(slow, null);
    await heard.next("job.started");
    void engine.stop();
    await engine.stop();
    const reader = anEngine();
    expect(await reader.get(id)).toMatchObject({ status: "pending", attempt: 0 });
  });

  test("without pipelines there is nothing to work on", async () => {
    await expect(anEngine({ pipelines: [] }).start()).rejects.toThrow(/has no pipelines to work on/);
  });

  test("it waits for a database that is not up yet, until it is stopped", async () => {
    const url = new URL(db.url);
    url.port = "1";
    const engine = anEngine({ databaseUrl: url.href });
    const heard = recordEvents(engine);
    const started = engine.start();
    expect(await heard.next("database.down")).toMatchObject({
      error: { message: expect.stringContaining("nothing listens where databaseUrl or connection points") },
    });
    await engine.stop();
    await started;
    expect(heard.all("engine.started")).toEqual([]);
  });

  test("it does not wait for a database that will never take it", async () => {
    const url = new URL(db.url);
    url.pathname = "/no_such_database";
    await expect(anEngine({ databaseUrl: url.href }).start()).rejects.toThrow(/has no such database/);
  });

  test("its heartbeats come from one thread, which begins before the first handler", async () => {
    const threads = recordThreads();
    let atFirstLine: boolean[] = [];
    const first = definePipeline("first").stage("look", () => {
      atFirstLine = threads();
    });
    const engine = anEngine({ pipelines: [first] });
    const { id } = await engine.add(first, null);
    expect(threads()).toEqual([]);
    await engine.start();
    await engine.result(id);
    expect(atFirstLine).toEqual([true]);
    expect(threads()).toEqual([true]);
    await engine.stop();
    expect(threads()).toEqual([false]);
  });

  test("its heartbeats begin without a job as well", async () => {
    const threads = recordThreads();
    const engine = anEngine();
    await engine.start();
    await expect.poll(threads, { timeout: 25_000 }).toEqual([true]);
    await engine.stop();
    expect(threads()).toEqual([false]);
  });

  test("a start that is refused leaves no thread behind", async () => {
    await db.query("alter table lockstep.workers add constraint refused check (host is null) not valid");
    onTestFinished(async () => void (await db.query("alter table lockstep.workers drop constraint refused")));
    const threads = recordThreads();
    await expect(anEngine().start()).rejects.toThrow(/refused/);
    expect(threads()).toEqual([]);
  });

  test("three handlers that do not stop end its worker once, and the client goes on", async () => {
    const stuck = definePipeline("stuck").stage("hold", { timeoutMs: 20, maxAttempts: 1 }, ({ payload }) =>
      payload === "answer" ? "answered" : new Promise(() => {}),
    );
    const engine = anEngine({ pipelines: [stuck], stopGraceMs: 20 });
    const heard = recordEvents(engine);
    await engine.start();
    const workerId = engine.health()?.workerId;
    await engine.addMany(stuck, [{ payload: 1 }, { payload: 2 }, { payload: 3 }, { payload: 4 }]);
    await heard.next("worker.stopped");
    expect(heard.all("worker.spent")).toEqual([
      { workerId, reason: "3 handlers did not stop when they were told to, the last in stuck/hold." },
    ]);
    expect([engine.health(), heard.all("engine.stopping")]).toEqual([null, []]);

    const { id } = await engine.add(stuck, "answer");
    expect(await engine.get(id)).toMatchObject({ status: "pending" });
    await engine.start();
    expect(await engine.result(id)).toBe("answered");
  });
});

describe("settings", () => {
  test("an unknown one is refused with the nearest name", () => {
    const options = { databaseUrl: db.url, leaseMS: 1 } as EngineOptions;
    expect(() => createEngine(options)).toThrow(ConfigError);
    expect(() => createEngine(options)).toThrow('Unknown setting "leaseMS". Did you mean "leaseMs"?');
  });
});

describe("types", () => {
  const engine = createEngine({
    databaseUrl: "postgres://u@127.0.0.1:1/d",
    pipelines: [analysis],
    logger: null,
  });
  // Never called: the compiler is the judge.
  const calls = {
    add: () => engine.add(analysis, { url: "a" }),
    addMany: () => engine.addMany(analysis, [{ payload: { url: "a" }, priority: 1 }]),
    get: (id: JobId<{ text: string }>) => engine.get(id),
    result: (id: JobId<{ text: string }>) => engine.result(id),
    resultOfText: (id: string) => engine.result(id),
    // @ts-expect-error the payload has no such field
    wrongPayload: () => engine.add(analysis, { uri: "a" }),
    // @ts-expect-error the payload's field is a text
    wrongField: () => engine.addMany(analysis, [{ payload: { url: 1 } }]),
    // @ts-expect-error no such option
    wrongOption: () => engine.add(analysis, { url: "a" }, { prio: 1 }),
    // @ts-expect-error no such event
    wrongEvent: () => engine.on("job.ended", () => {}),
    event: () => engine.on("job.failed", ({ error }) => expectTypeOf(error.message).toEqualTypeOf<string>()),
  };

  test("reach from the payload through the stages to the result", () => {
    expectTypeOf(calls.add).returns.resolves.toEqualTypeOf<Added<{ text: string }>>();
    expectTypeOf(calls.addMany).returns.resolves.toEqualTypeOf<Added<{ text: string }>[]>();
    expectTypeOf(calls.get).returns.resolves.toEqualTypeOf<Job<{ text: string }> | null>();
    expectTypeOf(calls.result).returns.resolves.toEqualTypeOf<{ text: string }>();
    expectTypeOf(calls.resultOfText).returns.resolves.toEqualTypeOf<unknown>();
  });

  test("leave out what ends a job otherwise", () => {
    const pipeline = definePipeline("p").stage("s", () =>
      Math.random() > 2 ? giveUp("no") : { ok: true as const },
    );
    const add = () => engine.add(pipeline, null);
    expectTypeOf(add).returns.resolves.toEqualTypeOf<Added<{ ok: true }>>();
  });
});

// The last test of the file, since it takes the schema away for a while.
test("a start that failed for want of a schema succeeds after migrate", async () => {
  await db.query("drop schema lockstep cascade");
  const engine = anEngine();
  await expect(engine.start()).rejects.toThrow(SchemaMissingError);
  await expect(engine.add(analysis, { url: "a" })).rejects.toThrow(/has no Lockstep schema yet/);
  await engine.migrate();
  await engine.start();
  expect(await engine.result((await engine.add(analysis, { url: "a" })).id)).toEqual({ text: "a: 1+1" });
});
