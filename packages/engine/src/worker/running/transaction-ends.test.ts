import { recordEvents, testDatabase } from "@lockstep/test-support";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { createEngine, type Engine } from "../../engine.ts";
import { PermanentError } from "../../jobs/outcomes/outcome.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import type { StageContext } from "../../jobs/pipelines/stage-context.ts";
import type { JobId } from "../../jobs/reading/job.ts";

// Generous: a busy machine is slow.
const soon = { timeout: 25_000 };
const db = testDatabase();
let pool: pg.Pool;

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: db.url });
  await db.query("create table public.payments (job uuid, attempt integer)");
});
afterEach(async () => {
  expect(await db.call("verify")).toEqual([]);
});
afterAll(() => pool.end());

type Handler = (context: StageContext) => unknown;

/** A worker with one pipeline of two stages, both written by the test. */
async function aWorker(
  charge: Handler,
  ship: Handler = () => "shipped",
  options: { timeoutMs?: number } = {},
) {
  const retry = { kind: "constant", baseMs: 0, jitter: 0 } as const;
  const orders = definePipeline("orders")
    .stage("charge", { retry, ...options }, charge)
    .stage("ship", { retry }, ship);
  const engine = createEngine({ databaseUrl: db.url, pipelines: [orders], logger: null, stopGraceMs: 100 });
  onTestFinished(() => engine.stop());
  const events = recordEvents(engine);
  await engine.start();
  return { engine, orders, events };
}

async function inTransaction<Result>(run: (tx: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const tx = await pool.connect();
  try {
    await tx.query("begin");
    const result = await run(tx);
    await tx.query("commit");
    return result;
  } catch (error) {
    await tx.query("rollback");
    throw error;
  } finally {
    tx.release();
  }
}

const pay = (tx: pg.PoolClient, { jobId, attempt }: StageContext) =>
  tx.query("insert into public.payments values ($1, $2)", [jobId, attempt]);
const payments = async (id: string) =>
  (await db.query<{ attempt: number }>("select attempt from public.payments where job = $1", [id])).map(
    (row) => row.attempt,
  );
const outcomes = async (engine: Engine, id: JobId) =>
  (await engine.get(id))?.attempts.map(({ stage, outcome }) => `${stage} ${outcome}`);

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

test("a handler that returns although its transaction was rolled back has failed, and is tried again", async () => {
  const { engine, orders, events } = await aWorker(async (context) => {
    await inTransaction(async (tx) => {
      await pay(tx, context);
      await context.completeIn(tx, "paid");
      if (context.attempt === 1) throw new Error("no");
    }).catch(() => {});
    return "returned";
  });
  const { id } = await engine.add(orders, {});
  expect(await events.next("job.retrying")).toMatchObject({
    error: {
      code: "transaction_rolled_back",
      message: expect.stringContaining(`job ${id} in orders/charge`),
    },
  });
  await engine.result(id, { timeoutMs: 20_000 });
  expect(await payments(id)).toEqual([2]);
  expect(await outcomes(engine, id)).toEqual(["charge failed", "charge done", "ship done"]);
  expect((await engine.get(id))?.outputs).toEqual({ charge: "paid", ship: "shipped" });
  // What has become of the transaction is asked for, and the next stage may be done before the answer is there.
  await expect
    .poll(() => events.all("job.advanced"), soon)
    .toMatchObject([{ jobId: id, stage: "charge", nextStage: "ship" }]);
  await expect.poll(() => events.all("job.completed"), soon).toMatchObject([{ jobId: id, stage: "ship" }]);
});

test("a handler that throws after the commit leaves the stage done, and the log says so", async () => {
  const { engine, orders, events } = await aWorker(
    async ({ completeIn }) => inTransaction((tx) => completeIn(tx, "paid")),
    async (context) => {
      await inTransaction((tx) => context.completeIn(tx, "sent"));
      throw new PermanentError("the postcard was not sent");
    },
  );
  const { id } = await engine.add(orders, {});
  expect(await events.next("job.log")).toMatchObject({
    jobId: id,
    stage: "ship",
    level: "warn",
    message:
      "The handler failed after its transaction had committed, so the stage stays done: the postcard was not sent",
  });
  expect(await engine.result(id)).toBe("sent");
  await events.next("job.completed", ({ jobId }) => jobId === id);
  expect([...events.all("job.failed"), ...events.all("job.retrying")]).toEqual([]);
});

test("what is thrown out of the transaction ends the attempt as it would without one", async () => {
  const { engine, orders, events } = await aWorker(async ({ completeIn }) =>
    inTransaction(async (tx) => {
      await completeIn(tx, null);
      throw new PermanentError("no such account");
    }),
  );
  const { id } = await engine.add(orders, {});
  await events.next("job.failed", ({ jobId, error }) => jobId === id && error.message === "no such account");
  expect(await engine.get(id)).toMatchObject({ status: "failed", error: { permanent: true } });
});

test("a stage is ended once: a second time is refused, unless the first was rolled back", async () => {
  const refusals: unknown[] = [];
  const refused = (error: unknown) => void refusals.push(error);
  let endHandler = () => {};
  const handlerEnded = new Promise<void>((resolve) => {
    endHandler = resolve;
  });
  const { engine, orders } = await aWorker(async (context) => {
    const { completeIn } = context;
    // As a caller's own loop around a serialization failure does.
    await inTransaction(async (tx) => {
      await completeIn(tx, "first");
      throw new Error("serialization failure");
    }).catch(() => {});
    await inTransaction(async (tx) => {
      await completeIn(tx, "second");
      await completeIn(tx, "third");
    }).catch(refused);
    await inTransaction(async (tx) => {
      await pay(tx, context);
      await Promise.all([completeIn(tx, "fourth"), completeIn(tx, "fifth").catch(refused)]);
    });
    await inTransaction((tx) => completeIn(tx, "sixth")).catch(refused);
    endHandler();
  });
  const { id } = await engine.add(orders, {});
  await engine.result(id, { timeoutMs: 20_000 });
  // The stage ended with the fourth; the handler goes on.
  await handlerEnded;
  expect(refusals).toMatchObject([
    { name: "RefusedError", code: "LS003" },
    { message: expect.stringMatching(/^completeIn was called while attempt 1 of job .* was being ended/) },
    { name: "RefusedError", code: "LS003" },
  ]);
  expect(await payments(id)).toEqual([1]);
  expect((await engine.get(id))?.outputs).toMatchObject({ charge: "fourth" });
});

test("a job fails for good with what its handler wrote about it, though attempts are left", async () => {
  const { engine, orders, events } = await aWorker(async (context) =>
    inTransaction(async (tx) => {
      await pay(tx, context);
      return await context.failIn(tx, new Error("no such account"));
    }),
  );
  const { id } = await engine.add(orders, {});
  expect(await events.next("job.failed")).toMatchObject({
    jobId: id,
    stage: "charge",
    attempt: 1,
    error: { message: "no such account", permanent: true },
  });
  expect(await engine.get(id)).toMatchObject({ status: "failed", error: { message: "no such account" } });
  expect(await payments(id)).toEqual([1]);
  expect([...events.all("job.retrying"), ...events.all("job.log")]).toEqual([]);
});

test("a job whose failure was rolled back is tried again, whatever its handler answers", async () => {
  const { engine, orders, events } = await aWorker(async (context) => {
    if (context.attempt > 1) return "paid";
    const { failIn } = context;
    const answers: unknown[] = [];
    await inTransaction(async (tx) => {
      await pay(tx, context);
      answers.push(await failIn(tx, "no such account"));
      throw new Error("no");
    }).catch(() => {});
    return answers[0];
  });
  const { id } = await engine.add(orders, {});
  expect(await events.next("job.retrying")).toMatchObject({
    error: { code: "transaction_rolled_back", message: expect.stringMatching(/^failIn was called for/) },
  });
  expect(await engine.result(id, { timeoutMs: 20_000 })).toBe("shipped");
  expect(await payments(id)).toEqual([]);
});

test("a job goes on in the same worker while the handler that ended its stage still runs", async () => {
  const shipped = gate();
  const { engine, orders, events } = await aWorker(
    async ({ completeIn, progress }) => {
      progress(10);
      await inTransaction((tx) => completeIn(tx, "paid"));
      progress(99);
      await shipped.opened;
    },
    () => {
      shipped.open();
      return "shipped";
    },
  );
  const { id } = await engine.add(orders, {});
  expect(await engine.result(id, { timeoutMs: 20_000 })).toBe("shipped");
  await events.next("job.advanced");
  expect(await outcomes(engine, id)).toEqual(["charge done", "ship done"]);
  expect(events.all("job.snoozed")).toEqual([]);
  expect(events.all("job.progress").map(({ percent }) => percent)).toEqual([10]);
});

test("a transaction that outlives its handler holds up no other job, and decides when it ends", async () => {
  const open: pg.PoolClient[] = [];
  const { engine, orders, events } = await aWorker(async ({ payload, attempt, completeIn }) => {
    if (payload === "plain") return "paid";
    if (attempt > 1) return "paid at last";
    const tx = await pool.connect();
    await tx.query("begin");
    const answer = await completeIn(tx, "paid in time");
    open.push(tx);
    return answer;
  });
  const committed = await engine.add(orders, "forgets to wait");
  const rolledBack = await engine.add(orders, "forgets to wait");
  await expect.poll(() => open.length, { timeout: 10_000 }).toBe(2);
  const { id: plainId } = await engine.add(orders, "plain");
  await engine.result(plainId, { timeoutMs: 4_000 });
  expect(await engine.get(committed.id)).toMatchObject({ status: "processing", stage: "charge" });
  await open[0]?.query("commit");
  await open[1]?.query("rollback");
  for (const tx of open) tx.release();
  await engine.result(committed.id, { timeoutMs: 20_000 });
  await engine.result(rolledBack.id, { timeoutMs: 20_000 });
  expect(events.all("database.down")).toEqual([]);
  const all = [await outcomes(engine, committed.id), await outcomes(engine, rolledBack.id)];
  expect(all.sort()).toEqual([
    ["charge done", "ship done"],
    ["charge failed", "charge done", "ship done"],
  ]);
});

test("a handler that is given up while its transaction is open still decides by it", async () => {
  const tx = await pool.connect();
  const held = gate();
  const { engine, orders, events } = await aWorker(
    async ({ completeIn }) => {
      await tx.query("begin");
      await completeIn(tx, "paid");
      await held.opened;
    },
    undefined,
    { timeoutMs: 50 },
  );
  const { id } = await engine.add(orders, {});
  await events.next("processor.error", undefined, { limitMs: 20_000 });
  await tx.query("commit");
  tx.release();
  expect(await engine.result(id, { timeoutMs: 20_000 })).toBe("shipped");
  held.open();
  await events.next("job.advanced");
  expect(await outcomes(engine, id)).toEqual(["charge done", "ship done"]);
});

test("a stop waits for a transaction that ends soon", async () => {
  const tx = await pool.connect();
  const started = gate();
  const { engine, orders } = await aWorker(async ({ completeIn }) => {
    await tx.query("begin");
    await completeIn(tx, "paid");
    started.open();
  });
  const { id } = await engine.add(orders, {});
  await started.opened;
  const stopping = engine.stop();
  await tx.query("rollback");
  tx.release();
  await stopping;
  expect(await db.call("get_job", { p_id: id })).toMatchObject([
    { status: "retrying", losses: 0, attempts: [{ outcome: "failed" }] },
  ]);
});

test("a cancel that comes first takes a job that has stages left, with its output and its effects", async () => {
  const { engine, orders, events } = await aWorker(async (context) => {
    await engine.cancel(context.jobId);
    await inTransaction(async (tx) => {
      await pay(tx, context);
      await context.completeIn(tx, "paid");
    });
  });
  const { id } = await engine.add(orders, {});
  await events.next("job.cancelled", ({ jobId }) => jobId === id);
  expect(await engine.get(id)).toMatchObject({ status: "cancelled", outputs: { charge: "paid" } });
  expect(await payments(id)).toEqual([1]);
});
