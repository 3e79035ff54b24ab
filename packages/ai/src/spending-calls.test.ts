// In real time: the calls go over a real socket.
import { testDatabase } from "@lockstep/test-support";
import { budget, definePipeline } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { generateObject } from "./generate-object.ts";
import { generateText } from "./generate-text.ts";
import type { ModelUsage } from "./model-usage.ts";
import { streamText } from "./stream-text.ts";
import { type ModelServer, promptTokens, startModelServer } from "./test-support/model-server.ts";
import { aWorker, modelAt, soon } from "./test-support/working.ts";

const db = testDatabase();
const limit = { timeoutMs: 20_000 };
const tokens = budget("tokens", { per: "owner", limit: 10_000, everyMs: 86_400_000, unit: "tokens" });
const money = budget("money", { per: "total", limit: 1, unit: "USD" });
const price = ({ inputTokens, outputTokens }: ModelUsage) =>
  (inputTokens * 0.25 + outputTokens * 2) / 1_000_000;
const spends = { tokens: ({ totalTokens }: ModelUsage) => totalTokens, money: price };
let server: ModelServer;
let model: ReturnType<typeof modelAt>;

beforeAll(async () => {
  server = await startModelServer();
  model = modelAt(server);
});
afterAll(async () => {
  await server.stop();
  expect(await db.call("verify")).toEqual([]);
});

test("a kept answer is counted once, in tokens and in money, however often its job is tried", async () => {
  const before = server.calls.length;
  server.behave(() => ({ text: "A queue is a line." }));
  const explain = definePipeline("explain", { budgets: [tokens, money] }).stage(
    "ask",
    { ...soon, spends: { tokens: 500, money: 0.01 } },
    async (context) => {
      const { text } = await generateText(context, { key: "ask", model, prompt: "What?", spends });
      if (context.attempt < 3) throw new Error("something else");
      return text;
    },
  );
  const engine = await aWorker(db, explain);
  const { id } = await engine.add(explain, null, { owner: "ada" });
  await engine.result(id, limit);
  expect(server.calls.length - before).toBe(1);
  const used = promptTokens + 5;
  expect(await engine.effects(id)).toMatchObject([{ key: "ask", spent: { tokens: used } }]);
  expect(await engine.budgetUsage("tokens", { scope: "ada" })).toMatchObject([{ spent: used, reserved: 0 }]);
  const [paid] = await engine.budgetUsage("money");
  expect(paid?.spent).toBeCloseTo((promptTokens * 0.25 + 5 * 2) / 1_000_000, 12);
});

test("an answer of no use has been paid for, and counts; one that is refused or cut does not", async () => {
  const answers = [{ text: "Sure!" }, { status: 500 }, { text: '{"points":[]}' }];
  server.behave((time) => answers[time - 1] ?? { text: "" });
  const list = definePipeline("list", { budgets: [tokens] }).stage(
    "ask",
    { ...soon, maxAttempts: 4, spends: { tokens: 500 } },
    (context) =>
      generateObject(context, {
        ...{ key: "ask", model, prompt: "Which?", schema: z.object({ points: z.array(z.string()) }) },
        spends: { tokens: spends.tokens },
      }),
  );
  const engine = await aWorker(db, list);
  const { id } = await engine.add(list, null, { owner: "bob" });
  await engine.result(id, limit);
  expect(await engine.budgetUsage("tokens", { scope: "bob" })).toMatchObject([
    { spent: 2 * (promptTokens + 1) },
  ]);

  server.behave((time) =>
    time === 1 ? { text: "one two three", after: 2, next: "reset" } : { text: "one two" },
  );
  const tell = definePipeline("tell", { budgets: [tokens] }).stage(
    "ask",
    { ...soon, spends: { tokens: 500 } },
    (context) =>
      streamText(context, {
        key: "ask",
        stream: "answer",
        model,
        prompt: "Well?",
        spends: { tokens: spends.tokens },
      }),
  );
  const other = await aWorker(db, tell);
  const told = await other.add(tell, null, { owner: "eve" });
  await other.result(told.id, limit);
  expect(await other.budgetUsage("tokens", { scope: "eve" })).toMatchObject([{ spent: promptTokens + 2 }]);
});

test("a provider that does not say what was used leaves the budget alone, and the log of the attempt says so", async () => {
  server.behave(() => ({ text: "Yes.", hasNoUsage: true }));
  const quiet = definePipeline("quiet", { budgets: [tokens] }).stage(
    "ask",
    { ...soon, spends: { tokens: 500 } },
    (context) =>
      streamText(context, {
        key: "ask",
        stream: "answer",
        model,
        prompt: "Well?",
        spends: { tokens: spends.tokens },
      }),
  );
  const engine = await aWorker(db, quiet);
  const { id } = await engine.add(quiet, null, { owner: "joan" });
  await engine.result(id, limit);
  const [attempt] = (await engine.get(id))?.attempts ?? [];
  expect(attempt?.log).toMatchObject([
    { level: "warn", message: expect.stringContaining("nothing is counted") },
  ]);
});
