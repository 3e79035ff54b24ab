import { testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createEngine, type Engine } from "./engine.ts";
import { type Budget, type BudgetOptions, budget } from "./jobs/budgets/budget.ts";
import { DefinitionError } from "./jobs/pipelines/definition-error.ts";
import { type AnyPipeline, definePipeline } from "./jobs/pipelines/pipeline.ts";
import { RefusedError } from "./store/connections/database-error.ts";

const db = testDatabase();
const soon = { retry: { kind: "constant", baseMs: 1 } } as const;
const limitMs = { timeoutMs: 20_000 };

beforeEach(() => db.reset());

const tokens = (more: Partial<BudgetOptions> = {}): Budget =>
  budget("tokens", { per: "owner", limit: 100, unit: "tokens", ...more });

async function aWorker(...pipelines: AnyPipeline[]): Promise<Engine> {
  const engine = createEngine({ databaseUrl: db.url, pipelines, logger: null });
  onTestFinished(() => engine.stop());
  await engine.start();
  return engine;
}

const spentOf = async (engine: Engine, scope = "ada") =>
  (await engine.budgetUsage("tokens", { scope }))[0]?.spent;

async function untilItWaits(engine: Engine, id: string): Promise<void> {
  for (;;) {
    const reasons = await engine.explain(id);
    if (reasons.some(({ reason }) => reason === "budget")) return;
  }
}

test("what a handler spends is kept, and the rest of its estimate is free for the next job", async () => {
  const asks = definePipeline("asks", { budgets: [tokens()] }).stage(
    "ask",
    { spends: { tokens: 60 } },
    async ({ spend }) => {
      await spend("tokens", 10);
      void spend("tokens", 5.5);
    },
  );
  const engine = await aWorker(asks);
  const added = await engine.addMany(
    asks,
    Array.from({ length: 3 }, () => ({ payload: null, owner: "ada" })),
  );
  for (const { id } of added) await engine.result(id, limitMs);
  expect(await engine.budgetUsage("tokens")).toMatchObject([
    { scope: "ada", spent: 46.5, reserved: 0, attempts: 3, limit: 100, turnsAt: null, waiting: 0 },
  ]);
  expect(await engine.verify()).toEqual([]);
});

test("a job waits for its owner's budget, and goes on by itself when the limit is raised", async () => {
  const asks = definePipeline("asks", { budgets: [tokens()] }).stage(
    "ask",
    { spends: { tokens: 60 } },
    ({ spend }) => spend("tokens", 60),
  );
  const engine = await aWorker(asks);
  const first = await engine.add(asks, null, { owner: "ada" });
  await engine.result(first.id, limitMs);
  const second = await engine.add(asks, null, { owner: "ada" });
  const bobs = await engine.add(asks, null, { owner: "bob" });
  await engine.result(bobs.id, limitMs);
  await untilItWaits(engine, second.id);
  expect(await engine.budgets()).toMatchObject([
    { name: "tokens", per: "owner", limit: 100, waitingJobs: 1, waitingScopes: 1, pipelines: ["asks"] },
  ]);
  const [reason] = (await engine.explain(second.id)).filter(({ reason }) => reason === "budget");
  expect(reason?.detail).toMatchObject({ budget: "tokens", scope: "ada", spent: 60, estimate: 60 });

  // Another process than the worker's.
  const client = createEngine({ databaseUrl: db.url, pipelines: [], logger: null });
  onTestFinished(() => client.stop());
  expect(await client.setBudgetLimit("tokens", 120, { scope: "ada", by: "grace", reason: "paid" })).toBe(
    true,
  );
  await engine.result(second.id, limitMs);
  expect(await engine.recordedActions()).toMatchObject([
    { user: "grace", action: "budgets.set_limit", target: "budgets/tokens/ada", detail: { limit: 120 } },
  ]);
  await expect(client.setBudgetLimit("tokns", 1, { by: "grace" })).rejects.toBeInstanceOf(RefusedError);
});

test("an idle worker comes by itself when the period ends", async () => {
  // Real time: the worker has to wake without anybody's help. Periods are short, so that the test is.
  const asks = definePipeline("asks", { budgets: [tokens({ everyMs: 2_000 })] }).stage(
    "ask",
    { spends: { tokens: 100 } },
    ({ spend }) => spend("tokens", 100),
  );
  const engine = await aWorker(asks);
  const added = await engine.addMany(
    asks,
    Array.from({ length: 3 }, () => ({ payload: null, owner: "ada" })),
  );
  for (const { id } of added) await engine.result(id, limitMs);
  const periods = await engine.budgetUsage("tokens");
  expect(periods.map(({ spent }) => spent)).toEqual([100, 100, 100]);
});

test("a worker of one pipeline lets the jobs of another go on that share its budget", async () => {
  const shared = [tokens({ per: "total" })];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = definePipeline("slow", { budgets: shared }).stage(
    "ask",
    { spends: { tokens: 100 } },
    () => held,
  );
  const fast = definePipeline("fast", { budgets: shared }).stage(
    "ask",
    { spends: { tokens: 100 } },
    () => "done",
  );
  const slowWorker = await aWorker(slow);
  const fastWorker = await aWorker(fast);
  const first = await slowWorker.add(slow, null);
  for (;;) if ((await slowWorker.get(first.id))?.status === "processing") break;
  const second = await fastWorker.add(fast, null);
  await untilItWaits(fastWorker, second.id);
  release();
  expect(await fastWorker.result(second.id, limitMs)).toBe("done");
});

describe("once", () => {
  test("counts what an effect has spent once, over all attempts", async () => {
    let calls = 0;
    const asks = definePipeline("asks", { budgets: [tokens()] }).stage(
      "ask",
      { ...soon, spends: { tokens: 50 } },
      async ({ once, attempt }) => {
        const text = await once("ask the model", ({ spend }) => {
          calls += 1;
          spend("tokens", 20);
          spend("tokens", 3);
          return "text";
        });
        if (attempt === 1) throw new Error("broken");
        return text;
      },
    );
    const engine = await aWorker(asks);
    const { id } = await engine.add(asks, null, { owner: "ada" });
    expect(await engine.result(id, limitMs)).toBe("text");
    expect(calls).toBe(1);
    expect(await spentOf(engine)).toBe(23);
    expect(await engine.effects(id)).toMatchObject([{ spent: { tokens: 23 } }]);
  });

  test("counts what an effect had spent before it failed", async () => {
    const asks = definePipeline("asks", { budgets: [tokens()] }).stage(
      "ask",
      { ...soon, spends: { tokens: 50 }, maxAttempts: 2 },
      ({ once }) =>
        once("ask the model", ({ spend }) => {
          spend("tokens", 20);
          throw new Error("cut off");
        }),
    );
    const engine = await aWorker(asks);
    const { id } = await engine.add(asks, null, { owner: "ada" });
    await expect(engine.result(id, limitMs)).rejects.toThrow("cut off");
    expect(await spentOf(engine)).toBe(40);
  });
});

describe("an estimate that is a function", () => {
  test("is reserved before the handler runs, and a job without room comes again", async () => {
    let running = 0;
    let most = 0;
    const asks = definePipeline<{ size: number }>("asks", { budgets: [tokens()] }).stage(
      "ask",
      { spends: { tokens: ({ payload }) => payload.size } },
      async ({ attempt, payload, spend }) => {
        running += payload.size;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        await spend("tokens", 1);
        running -= payload.size;
        return attempt;
      },
    );
    const engine = await aWorker(asks);
    const added = await engine.addMany(
      asks,
      Array.from({ length: 12 }, () => ({ payload: { size: 40 }, owner: "ada" })),
    );
    for (const { id } of added) expect(await engine.result(id, limitMs)).toBe(1);
    expect(most).toBeLessThanOrEqual(80);
    expect(await spentOf(engine)).toBe(12);
    expect(await engine.verify()).toEqual([]);
  });

  test("that throws fails the attempt, and one that gives no amount fails the job", async () => {
    const asks = definePipeline<{ size: unknown }>("asks", { budgets: [tokens()] }).stage(
      "ask",
      {
        ...soon,
        maxAttempts: 2,
        spends: {
          tokens: ({ payload }) => {
            if (payload.size === "none") throw new Error("no size");
            return payload.size as number;
          },
        },
      },
      () => "ran",
    );
    const engine = await aWorker(asks);
    const thrown = await engine.add(asks, { size: "none" });
    await expect(engine.result(thrown.id, limitMs)).rejects.toThrow(
      'The estimate of budget "tokens" has thrown',
    );
    expect((await engine.get(thrown.id))?.attempt).toBe(2);
    const nonsense = await engine.add(asks, { size: "many" });
    await expect(engine.result(nonsense.id, limitMs)).rejects.toThrow(
      'The estimate of budget "tokens" must be a number from 0',
    );
    expect((await engine.get(nonsense.id))?.attempt).toBe(1);
  });
});

test("a wrong spend fails the job with a sentence", async () => {
  const asks = definePipeline<string>("asks", { budgets: [tokens()] }).stage(
    "ask",
    async ({ spend, payload }) => {
      if (payload === "name") await spend("tokns", 1);
      else await spend("tokens", Number.NaN);
    },
  );
  const engine = await aWorker(asks);
  const name = await engine.add(asks, "name");
  await expect(engine.result(name.id, limitMs)).rejects.toThrow(
    'Pipeline "asks" has no budget "tokns": add it to its budgets. Did you mean "tokens"?',
  );
  const amount = await engine.add(asks, "amount");
  await expect(engine.result(amount.id, limitMs)).rejects.toThrow(
    "must be a number from 0 to 1000000000000000",
  );
});

test("a branch spends of its parent's budgets", async () => {
  const asks = definePipeline("asks", { budgets: [tokens({ per: "pipeline" })] }).parallel("both", {
    one: [{ spends: { tokens: 10 } }, ({ spend }) => spend("tokens", 4)],
    other: ({ spend }) => spend("tokens", 5),
  });
  const engine = await aWorker(asks);
  const { id } = await engine.add(asks, null);
  await engine.result(id, limitMs);
  expect(await spentOf(engine, "asks")).toBe(9);
  expect(await engine.verify()).toEqual([]);
});

test("a stage that ends in the handler's transaction keeps what it has spent", async () => {
  const asks = definePipeline("asks", { budgets: [tokens()] }).stage(
    "ask",
    { spends: { tokens: 50 } },
    async ({ spend, completeIn }) => {
      void spend("tokens", 7);
      const client = await db.connect();
      await client.query("begin");
      const output = await completeIn(client, "done");
      expect(() => spend("tokens", 1)).toThrow("a transaction of its handler ends the stage");
      await client.query("commit");
      return output;
    },
  );
  const engine = await aWorker(asks);
  const { id } = await engine.add(asks, null, { owner: "ada" });
  expect(await engine.result(id, limitMs)).toBe("done");
  expect(await spentOf(engine)).toBe(7);
});

test("a job that is cancelled keeps what it has spent", async () => {
  const asks = definePipeline("asks", { budgets: [tokens()] }).stage(
    "ask",
    { spends: { tokens: 50 } },
    async ({ spend, signal }) => {
      await spend("tokens", 7);
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  );
  const engine = await aWorker(asks);
  const { id } = await engine.add(asks, null, { owner: "ada" });
  while ((await spentOf(engine)) !== 7);
  expect(await engine.cancel(id)).toBe("cancel_requested");
  await expect(engine.result(id, limitMs)).rejects.toThrow("cancelled");
  expect(await engine.budgetUsage("tokens", { scope: "ada" })).toMatchObject([{ spent: 7, reserved: 0 }]);
});

describe("definitions are refused", () => {
  const refused = (define: () => unknown, sentence: string) => {
    expect(define).toThrow(DefinitionError);
    expect(define).toThrow(sentence);
  };

  test("of budgets that make no sense", () => {
    const options = { per: "owner", limit: 1 } as const;
    refused(() => budget("a/b", options), "A budget name is");
    refused(() => budget("a", { ...options, per: "user" } as never), "per of budget");
    refused(() => budget("a", { ...options, limit: -1 }), "The limit of budget");
    refused(() => budget("a", { ...options, everyMs: 0 }), "everyMs of budget");
    refused(() => budget("a", { ...options, unit: "" }), "The unit of budget");
    refused(() => budget("a", { ...options, evryMs: 1 } as never), 'Did you mean "everyMs"?');
  });

  test("of pipelines and stages that spend what is not there", () => {
    refused(() => definePipeline("a", { budgets: [{}] as never }), "must come from budget(");
    refused(() => definePipeline("a", { budgets: [tokens(), tokens()] }), "twice");
    const asks = definePipeline("asks", { budgets: [tokens()] });
    refused(() => asks.stage("ask", { spends: { tokns: 1 } }, () => 1), 'Did you mean "tokens"?');
    refused(() => asks.stage("ask", { spends: { tokens: -1 } }, () => 1), "must be a number from 0");
    refused(() => definePipeline("b").stage("ask", { spends: { tokens: 1 } }, () => 1), "not in the budgets");
  });

  test("of one budget that two pipelines give differently", () => {
    const one = definePipeline("one", { budgets: [tokens()] }).stage("ask", () => 1);
    const other = definePipeline("other", { budgets: [tokens({ limit: 7 })] }).stage("ask", () => 1);
    expect(() => createEngine({ databaseUrl: db.url, pipelines: [one, other] })).toThrow(
      'Pipelines "one" and "other" define budget "tokens" differently',
    );
  });
});

test.each([
  { title: "a number", spends: 30 },
  { title: "a function", spends: ({ payload }: { payload: number }) => payload },
])(
  "a batch handler is called with the jobs that $title leaves room for, each counted by itself",
  async ({ spends }) => {
    const calls: number[] = [];
    const asks = definePipeline<number>("asks", { budgets: [tokens()] }).stage(
      "ask",
      { processors: 1, batch: { size: 10, waitMs: 100 }, spends: { tokens: spends } },
      async (jobs) => {
        calls.push(jobs.length);
        await Promise.all(jobs.map(({ spend }) => spend("tokens", 30)));
        return jobs.map(({ payload }) => payload);
      },
    );
    const adder = createEngine({ databaseUrl: db.url, pipelines: [asks], logger: null });
    onTestFinished(() => adder.stop());
    const added = await adder.addMany(
      asks,
      Array.from({ length: 5 }, () => ({ payload: 30, owner: "ada" })),
    );
    const engine = await aWorker(asks);
    for (const { id } of added.slice(0, 3)) await engine.result(id, limitMs);
    for (const { id } of added.slice(3)) await untilItWaits(engine, id);
    expect(calls).toEqual([3]);
    expect(await spentOf(engine)).toBe(90);
    await engine.setBudgetLimit("tokens", 150, { by: "grace" });
    for (const { id } of added.slice(3)) await engine.result(id, limitMs);
    expect(await spentOf(engine)).toBe(150);
    expect(await engine.verify()).toEqual([]);
  },
);
