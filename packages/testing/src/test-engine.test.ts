import { testDatabase } from "@lockstep/test-support";
import {
  createTestEngine,
  HandlerStuckError,
  NeverEndsError,
  type TestEngineOptions,
} from "@lockstep/testing";
import { budget, definePipeline, fanOut, giveUp, snooze } from "lockstep";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { TestEngine } from "./test-engine.ts";

const db = testDatabase();
const minute = 60_000;
const hour = 60 * minute;
const noon = new Date("2026-01-01T12:00:00Z");

async function aTest(options: TestEngineOptions): Promise<TestEngine> {
  const engine = await createTestEngine(options);
  onTestFinished(() => engine.stop());
  return engine;
}

const greeting = definePipeline("greeting", { payload: z.object({ name: z.string() }) })
  .stage("compose", async ({ payload }) => ({ text: `Hello, ${payload.name}!` }))
  .stage("send", ({ output }) => ({ sent: output.text }));

test("a job runs through its stages to a typed result, and the clock stands still", async () => {
  const engine = await aTest({ pipelines: [greeting] });
  const { id } = await engine.add(greeting, { name: "Ada" });
  const job = await engine.runToEnd(id);
  expectTypeOf(job.result).toEqualTypeOf<{ sent: string } | null>();
  expect(job).toMatchObject({ status: "completed", result: { sent: "Hello, Ada!" }, errors: [] });
  expect(job.attempts.map(({ stage, outcome }) => [stage, outcome])).toEqual([
    ["compose", "done"],
    ["send", "done"],
  ]);
  expect([job.addedAt, job.finishedAt]).toEqual([noon, noon]);
  expect(engine.clock.now()).toEqual(noon);
  expect(await engine.engine.verify()).toEqual([]);
});

test("a job that fans out runs to its end with its children", async () => {
  const crowd = definePipeline<{ names: string[] }>("crowd")
    .stage("greet", ({ payload }) =>
      fanOut(
        greeting,
        payload.names.map((name) => ({ payload: { name } })),
      ),
    )
    .stage("listen", async ({ children }) => (await children.results()).map(({ sent }) => sent));
  const engine = await aTest({ pipelines: [crowd, greeting] });
  const { id } = await engine.add(crowd, { names: ["Ada", "Grace"] });
  expect(await engine.runToEnd(id)).toMatchObject({ result: ["Hello, Ada!", "Hello, Grace!"] });
  expect(await engine.engine.verify()).toEqual([]);
});

test("retries become due by moving the clock, and their errors are at hand", async () => {
  const flaky = definePipeline("flaky").stage(
    "try",
    { maxAttempts: 5, retry: { baseMs: hour, capMs: 24 * hour, jitter: 0 } },
    ({ attempt }) => {
      if (attempt < 4) throw new Error(`no luck ${attempt}`);
      return attempt;
    },
  );
  const engine = await aTest({ pipelines: [flaky] });
  const { id } = await engine.add(flaky, null);
  const job = await engine.runToEnd(id);
  expect(job).toMatchObject({ status: "completed", result: 4 });
  expect(job.errors.map(({ message }) => message)).toEqual(["no luck 1", "no luck 2", "no luck 3"]);
  // 1, 2 and 4 hours.
  expect(engine.clock.now().getTime() - noon.getTime()).toBe(7 * hour);
});

test("a job that waits for a budget goes on by moving the clock to the next period", async () => {
  const tokens = budget("tokens", { per: "owner", limit: 100, everyMs: 24 * hour });
  const asks = definePipeline("asks", { budgets: [tokens] }).stage(
    "ask",
    { spends: { tokens: 60 } },
    ({ spend }) => spend("tokens", 50),
  );
  const engine = await aTest({ pipelines: [asks] });
  const ids: string[] = [];
  for (const _ of [1, 2]) ids.push((await engine.add(asks, null, { owner: "ada" })).id);
  expect(await engine.runDue()).toBe(1);
  expect(await engine.engine.budgetUsage("tokens")).toMatchObject([{ scope: "ada", spent: 50, waiting: 1 }]);
  expect(await engine.runToEnd(ids[1] ?? "")).toMatchObject({ status: "completed" });
  expect(engine.clock.now()).toEqual(new Date("2026-01-02T00:00:00Z"));
  expect(await engine.engine.verify()).toEqual([]);
});

test("a job whose budget never has room is told to be without end", async () => {
  const tokens = budget("tokens", { per: "total", limit: 10 });
  const asks = definePipeline("asks", { budgets: [tokens] }).stage(
    "ask",
    { spends: { tokens: 60 } },
    () => 1,
  );
  const engine = await aTest({ pipelines: [asks] });
  const { id } = await engine.add(asks, null);
  await expect(engine.runToEnd(id)).rejects.toThrow("more than the whole limit of 10");
});

test("a job that runs out of attempts, or gives up, comes back as failed", async () => {
  const failing = definePipeline<{ givesUp: boolean }>("failing").stage("try", ({ payload }) => {
    if (payload.givesUp) return giveUp("never");
    throw new Error("not today");
  });
  const engine = await aTest({ pipelines: [failing] });
  const [one, other] = await engine.engine.addMany(failing, [
    { payload: { givesUp: false } },
    { payload: { givesUp: true } },
  ]);
  const tired = await engine.runToEnd(one?.id ?? "");
  expect(tired).toMatchObject({ status: "failed", result: null, error: { message: "not today" } });
  expect(tired.errors).toHaveLength(3);
  expect(await engine.runToEnd(other?.id ?? "")).toMatchObject({
    status: "failed",
    errors: [{ message: "never" }],
  });
});

test("a scheduled job waits until the clock has been moved to its time", async () => {
  const engine = await aTest({ pipelines: [greeting] });
  const scheduledFor = new Date(noon.getTime() + 36 * hour);
  const { id, status } = await engine.add(greeting, { name: "Ada" }, { scheduledFor });
  expect(status).toBe("scheduled");
  expect(await engine.runDue()).toBe(0);
  await engine.clock.advance(36 * hour - 1);
  expect(await engine.runDue()).toBe(0);
  await engine.clock.advance(1);
  expect(await engine.runDue()).toBe(2);
  expect(await engine.engine.get(id)).toMatchObject({ status: "completed", finishedAt: scheduledFor });
});

test("a schedule adds its job when the clock is moved to its tick", async () => {
  const engine = await aTest({ pipelines: [greeting], startAt: noon });
  await engine.engine.schedule("morning", greeting, {
    cron: "0 6 * * *",
    timeZone: "UTC",
    payload: { name: "Ada" },
  });
  expect(await engine.runDue()).toBe(0);
  await engine.clock.advanceTo(new Date("2026-01-02T06:00:00Z"));
  await engine.runDue();
  const [job, ...others] = await engine.engine.list({ status: "completed" });
  expect(others).toEqual([]);
  expect(job?.tags).toContain("schedule:morning");
});

test("a drain runs everything, in order of priority, whatever it waits for", async () => {
  const ran: string[] = [];
  const noted = definePipeline<string>("noted").stage("note", ({ payload }) => void ran.push(payload));
  const engine = await aTest({ pipelines: [noted] });
  await engine.add(noted, "later", { scheduledFor: new Date(noon.getTime() + hour) });
  await engine.add(noted, "plain");
  await engine.add(noted, "urgent", { priority: 1 });
  expect(await engine.drain()).toBe(3);
  expect(ran).toEqual(["urgent", "plain", "later"]);
  expect(engine.clock.now()).toEqual(new Date(noon.getTime() + hour));
  expect(await engine.drain()).toBe(0);
});

test("what the code under test hears and waits for comes as from a worker", async () => {
  const engine = await aTest({ pipelines: [greeting] });
  const heard: string[] = [];
  engine.engine.onAny((name) => heard.push(name));
  const { id } = await engine.add(greeting, { name: "Ada" });
  const result = engine.engine.result(id);
  await engine.drain();
  expect(await result).toEqual({ sent: "Hello, Ada!" });
  expect(heard).toEqual(
    expect.arrayContaining(["job.added", "job.claimed", "job.started", "job.advanced", "job.completed"]),
  );
});

test("a running job can be cancelled", async () => {
  const held = definePipeline("held").stage(
    "hold",
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const engine = await aTest({ pipelines: [held] });
  const { id } = await engine.add(held, null);
  engine.engine.on("job.started", ({ jobId }) => void engine.engine.cancel(jobId));
  expect(await engine.runToEnd(id)).toMatchObject({ status: "cancelled" });
});

test("a stage's timeout is tried by moving the clock while its handler waits", async () => {
  const slow = definePipeline("slow").stage(
    "wait",
    { timeoutMs: hour, maxAttempts: 1 },
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const engine = await aTest({ pipelines: [slow] });
  const { id } = await engine.add(slow, null);
  const running = engine.runToEnd(id);
  await engine.clock.whenAsleep();
  await engine.clock.advance(hour);
  const job = await running;
  expect(job).toMatchObject({ status: "failed", error: { code: "timeout" } });
  expect(job.attempts.map(({ outcome }) => outcome)).toEqual(["timeout"]);
});

test("progress, logs and temporary folders are those of a worker", async () => {
  const told = definePipeline("told").stage("tell", async ({ progress, log, tempFolder }) => {
    progress(40, "nearly half");
    log.info("here");
    return await tempFolder();
  });
  const engine = await aTest({ pipelines: [told] });
  const { id } = await engine.add(told, null);
  const job = await engine.runToEnd(id);
  expect(job.progress).toMatchObject({ percent: 40, note: "nearly half" });
  expect(job.attempts[0]?.log).toMatchObject([{ message: "here", at: noon }]);
  expect(job.result).toMatch(/lockstep-/);
});

test("an effect is not repeated when its stage is", async () => {
  let charges = 0;
  const paid = definePipeline("paid").stage("pay", async ({ once, attempt }) => {
    const receipt = await once("charge", () => {
      charges += 1;
      return `receipt ${charges}`;
    });
    if (attempt < 3) throw new Error("after the charge");
    return receipt;
  });
  const engine = await aTest({ pipelines: [paid] });
  const { id } = await engine.add(paid, null);
  expect(await engine.runToEnd(id)).toMatchObject({ status: "completed", result: "receipt 1" });
  expect(charges).toBe(1);
});

test("an output that cannot be stored fails the job, as it does in a worker", async () => {
  const odd = definePipeline("odd").stage("return", { maxAttempts: 1 }, () => ({ big: 1n }));
  const engine = await aTest({ pipelines: [odd] });
  const { id } = await engine.add(odd, null);
  expect(await engine.runToEnd(id)).toMatchObject({ status: "failed" });
});

test("a handler that never ends is named instead of hanging the test", async () => {
  const stuck = definePipeline("stuck").stage("wait", () => new Promise(() => {}));
  const engine = await aTest({ pipelines: [stuck], handlerLimitMs: 100 });
  const { id } = await engine.add(stuck, null);
  const failure = engine.runToEnd(id);
  await expect(failure).rejects.toThrow(HandlerStuckError);
  await expect(failure).rejects.toThrow(
    `The handler of stuck/wait did not end within 100 ms of real time (job ${id}, attempt 1).`,
  );
});

test("a job in a paused stage can never end, and is told why", async () => {
  const engine = await aTest({ pipelines: [greeting] });
  await engine.engine.pause(greeting, "send");
  const { id } = await engine.add(greeting, { name: "Ada" });
  const failure = engine.runToEnd(id);
  await expect(failure).rejects.toThrow(NeverEndsError);
  await expect(failure).rejects.toThrow(`Job ${id} can never end: it is pending in greeting/send`);
  await expect(engine.drain()).rejects.toThrow(/The drain can never end: job .* paused/);
});

test("a job that snoozes for ever is stopped after so many attempts", async () => {
  const sleepy = definePipeline("sleepy").stage("doze", () => snooze({ forMs: minute }));
  const engine = await aTest({ pipelines: [sleepy], attemptLimit: 20 });
  const { id } = await engine.add(sleepy, null);
  await expect(engine.runToEnd(id)).rejects.toThrow(
    `Job ${id} did not come to its end within 20 attempts, the last in sleepy/doze`,
  );
});

test("a rate limit is waited out by moving the clock", async () => {
  const limited = definePipeline("limited").stage(
    "call",
    { rate: { jobs: 1, perMs: minute } },
    () => "called",
  );
  const engine = await aTest({ pipelines: [limited] });
  const added = await engine.engine.addMany(limited, [{ payload: 1 }, { payload: 2 }, { payload: 3 }]);
  expect(await engine.drain()).toBe(3);
  const ends = await Promise.all(
    added.map(async ({ id }) => (await engine.engine.get(id))?.finishedAt?.getTime()),
  );
  const [first = 0, second = 0, third = 0] = ends.map(Number).sort();
  expect(first).toBe(noon.getTime());
  expect(second - first).toBeGreaterThanOrEqual(minute);
  expect(third - second).toBeGreaterThanOrEqual(minute);
});

test("a job that is not there is refused", async () => {
  const engine = await aTest({ pipelines: [greeting] });
  await expect(engine.runToEnd("0190a000-0000-7000-8000-000000000001")).rejects.toThrow("There is no job");
});

test("every test engine has a database of its own on the server it is given, dropped when it stops", async () => {
  const one = await aTest({ pipelines: [greeting], databaseUrl: db.url });
  const other = await aTest({ pipelines: [greeting], databaseUrl: db.url });
  const { id } = await one.add(greeting, { name: "Ada" });
  expect(await one.runToEnd(id)).toMatchObject({ status: "completed", finishedAt: noon });
  expect(await other.engine.list()).toEqual([]);
  const before = await testDatabases();
  await one.stop();
  await one.stop();
  expect(await testDatabases()).toBe(before - 1);
  await expect(one.runDue()).rejects.toThrow("was stopped");
});

async function testDatabases(): Promise<number> {
  const rows = await db.query("select from pg_database where datname like 'lockstep\\_testing\\_%'");
  return rows.length;
}

test("the clock goes forward only", async () => {
  const { clock } = await aTest({ pipelines: [greeting], startAt: new Date("2026-03-29T00:30:00Z") });
  await clock.advanceTo(new Date("2026-03-29T02:00:00Z"));
  expect(clock.now().toISOString()).toBe("2026-03-29T02:00:00.000Z");
  await expect(clock.advance(-1)).rejects.toThrow("not by -1");
  await expect(clock.advanceTo(noon)).rejects.toThrow("does not go back to 2026-01-01T12:00:00.000Z");
});

test.each([
  [{ pipelines: [] }, "createTestEngine needs the pipelines to run"],
  [{ pipelines: [greeting], pipeline: greeting }, 'Unknown option "pipeline" of createTestEngine'],
  [{ pipelines: [greeting], attemptLimit: 0 }, '"attemptLimit" of createTestEngine is a whole number from 1'],
  [{ pipelines: [greeting], startAt: "today" }, '"startAt" of createTestEngine is a Date'],
])("wrong options are refused: %o", async (options, sentence) => {
  await expect(createTestEngine(options as never)).rejects.toThrow(sentence);
});

test("an engine with another schema has its clock there too", async () => {
  const engine = await aTest({ pipelines: [greeting], settings: { schema: "tested" } });
  await engine.add(greeting, { name: "Ada" }, { scheduledFor: new Date(noon.getTime() + hour) });
  await engine.clock.advance(hour - 1);
  expect(await engine.runDue()).toBe(0);
  await engine.clock.advance(1);
  expect(await engine.runDue()).toBe(2);
});

const order = definePipeline<{ item: string }>("order")
  .stage("quote", ({ payload }) => ({ item: payload.item, price: 5 }))
  .wait("approval", { signal: z.object({ approved: z.boolean() }), timeoutMs: 3 * 24 * hour })
  .sleep("cool-down", { forMs: 24 * hour })
  .stage("ship", ({ output }) => output.approved);

test("a job that waits is signalled, and time passes where it sleeps", async () => {
  const engine = await aTest({ pipelines: [order] });
  const { id } = await engine.add(order, { item: "lamp" });
  expect(await engine.signal(order, id, "approval", { approved: true })).toBe("signalled");
  const job = await engine.runToEnd(id);
  expect(job).toMatchObject({ status: "completed", result: true });
  expect(job.waits.map(({ stage, outcome }) => [stage, outcome])).toEqual([
    ["approval", "signalled"],
    ["cool-down", "slept"],
  ]);
  expect(engine.clock.now()).toEqual(new Date(noon.getTime() + 24 * hour));
  expect(await engine.engine.verify()).toEqual([]);
});

test("a wait that nobody signals times out when the clock is there", async () => {
  const engine = await aTest({ pipelines: [order] });
  const { id } = await engine.add(order, { item: "lamp" });
  expect(await engine.runToEnd(id)).toMatchObject({
    status: "failed",
    error: { message: 'The wait "approval" timed out: no signal came within 3 days.' },
  });
  expect(engine.clock.now()).toEqual(new Date(noon.getTime() + 72 * hour));
});

test("a wait without a timeout that nobody signals never ends, and says so", async () => {
  const patient = definePipeline("patient")
    .stage("ask", () => null)
    .wait("answer", {})
    .stage("use", ({ output }) => output);
  const engine = await aTest({ pipelines: [patient] });
  const { id } = await engine.add(patient, {});
  const stuck = engine.runToEnd(id);
  await expect(stuck).rejects.toThrow(NeverEndsError);
  await expect(stuck).rejects.toThrow("waits for signal answer since");
});
