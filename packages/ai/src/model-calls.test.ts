// In real time: the calls go over a real socket.
import { testDatabase } from "@lockstep/test-support";
import { tool } from "ai";
import { definePipeline } from "lockstep";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { generateObject } from "./generate-object.ts";
import { generateText } from "./generate-text.ts";
import { type ModelServer, promptTokens, startModelServer } from "./test-support/model-server.ts";
import { aWorker, modelAt, soon } from "./test-support/working.ts";

const db = testDatabase();
const limit = { timeoutMs: 20_000 };
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
let before = 0;
beforeEach(() => {
  before = server.calls.length;
});
const calls = () => server.calls.slice(before);

test("an answer is kept: the attempt after a failure has it without asking again", async () => {
  server.behave(() => ({ text: "A queue is a line." }));
  const explain = definePipeline<{ question: string }>("explain").stage("ask", soon, async (context) => {
    const answer = await generateText(context, {
      key: "ask",
      model,
      system: "Be short.",
      prompt: context.payload.question,
      headers: { "x-own": "1" },
    });
    if (context.attempt === 1) throw new Error("something else");
    return { answer, attempt: context.attempt };
  });
  const engine = await aWorker(db, explain);
  const { id } = await engine.add(explain, { question: "What is a queue?" });
  expect(await engine.result(id, limit)).toEqual({
    answer: {
      text: "A queue is a line.",
      toolCalls: [],
      finishReason: "stop",
      usage: {
        ...{ inputTokens: promptTokens, cachedInputTokens: 0, outputTokens: 5, reasoningTokens: 0 },
        totalTokens: promptTokens + 5,
      },
      modelId: "served-model",
    },
    attempt: 2,
  });
  expect(calls()).toHaveLength(1);
  const [call] = calls();
  expect(call?.headers).toMatchObject({ authorization: "Bearer key-1", "x-own": "1" });
  expect(call?.headers).not.toHaveProperty("idempotency-key");
  expect(call?.body.messages).toEqual([
    { role: "system", content: "Be short." },
    { role: "user", content: "What is a queue?" },
  ]);
  expect(await engine.effects(id)).toMatchObject([{ key: "ask", state: "done", starts: 1 }]);
});

test.each([429, 503, 529])(
  "a provider that answers %i is asked again when its Retry-After says",
  async (status) => {
    server.behave(() => ({ status, retryAfter: "3600" }));
    const busy = definePipeline(`busy-${status}`).stage("ask", soon, (context) =>
      generateText(context, { key: "ask", model, prompt: "Well?" }),
    );
    const engine = await aWorker(db, busy);
    const askedAtMs = Date.now();
    const { id } = await engine.add(busy, null);
    await vi.waitFor(async () => expect((await engine.get(id))?.status).toBe("retrying"), 10_000);
    const job = await engine.get(id);
    const waitMs = (job?.scheduledFor?.getTime() ?? 0) - askedAtMs;
    expect(waitMs).toBeGreaterThan(3_590_000);
    expect(waitMs).toBeLessThan(3_660_000);
    expect(job?.error?.message).toBe(
      `The model answered about "ask" with ${status}: the model says ${status}`,
    );
    // The AI SDK would have tried three times by itself.
    expect(calls()).toHaveLength(1);
    await engine.cancel(id);
  },
);

test.each([
  [{ status: 401 }, 'The model answered about "ask" with 401: the model says 401'],
  [{ status: 400 }, 'The model answered about "ask" with 400: the model says 400'],
  [
    { text: "No", finish: "content_filter" } as const,
    `The model answered about "ask", but the provider's filter has held the answer back.`,
  ],
])("what would be refused again fails the job at once: %j", async (behaviour, sentence) => {
  server.behave(() => behaviour);
  const name = `refused-${"status" in behaviour ? behaviour.status : "filtered"}`;
  const refused = definePipeline(name).stage("ask", soon, (context) =>
    generateText(context, { key: "ask", model, prompt: "Well?" }),
  );
  const engine = await aWorker(db, refused);
  const { id } = await engine.add(refused, null);
  await expect(engine.result(id, limit)).rejects.toThrow(sentence);
  expect(calls()).toHaveLength(1);
  expect(JSON.stringify(await engine.get(id))).not.toContain("key-1");
});

test("an answer in another form than the schema's fails its attempt with a sentence, and a good one is kept", async () => {
  const answers = [
    "Sure! Here you are.",
    '{"points":"many"}',
    '{"points":["one\\u0000"],"when":"2026-11-16"}',
  ];
  server.behave((time) => ({ text: answers[time - 1] ?? "" }));
  const schema = z.object({ points: z.array(z.string()), when: z.iso.date() });
  const list = definePipeline("list").stage("ask", { ...soon, maxAttempts: 4 }, async (context) => {
    const { object } = await generateObject(context, {
      key: "ask",
      model,
      prompt: "Which?",
      schema,
      schemaName: "points",
    });
    if (context.attempt === 3) throw new Error("something else");
    return object;
  });
  const engine = await aWorker(db, list);
  const { id } = await engine.add(list, null);
  const { points, when } = await engine.result(id, limit);
  expect({ points, when }).toEqual({ points: ["one"], when: "2026-11-16" });
  expect(calls()).toHaveLength(3);
  expect(calls()[0]?.body.response_format).toMatchObject({
    type: "json_schema",
    json_schema: { name: "points" },
  });
  const attempts = (await engine.get(id))?.attempts ?? [];
  expect(attempts.map(({ error }) => error?.message)).toEqual([
    'The model answered about "ask" in a different form than asked for: it is not JSON. It cost 104 tokens.',
    'The model answered about "ask" in a different form than asked for: points: Invalid input: expected array, received string. It cost 101 tokens.',
    "something else",
    undefined,
  ]);
});

test("a call that takes too long is given up, its outcome is unknown, and the next attempt asks again with the same key", async () => {
  server.behave((time) => (time === 1 ? "hang" : { text: "At last." }));
  const slow = definePipeline("slow").stage("ask", soon, async (context) => {
    const how = { key: "ask", model, prompt: "Well?", timeout: 200, idempotencyHeader: "idempotency-key" };
    return (await generateText(context, how)).text;
  });
  const engine = await aWorker(db, slow);
  const { id } = await engine.add(slow, null);
  expect(await engine.result(id, limit)).toBe("At last.");
  const [first, second] = calls();
  expect(first?.isLeft).toBe(true);
  expect(second?.headers["idempotency-key"]).toBe((await engine.effects(id))[0]?.idempotencyKey);
  expect(first?.headers["idempotency-key"]).toBe(second?.headers["idempotency-key"]);
  const [attempt] = (await engine.get(id))?.attempts ?? [];
  expect(attempt?.error?.name).toBe("UnknownOutcomeError");
});

test("a call whose outcome is unknown fails the job where a person is to decide", async () => {
  server.behave(() => "hang");
  const dear = definePipeline("dear").stage("ask", soon, (context) =>
    generateText(context, { key: "ask", model, prompt: "Well?", timeout: 200, unknown: "fail" }),
  );
  const engine = await aWorker(db, dear);
  const { id } = await engine.add(dear, null);
  await expect(engine.result(id, limit)).rejects.toThrow("It is not known whether effect");
  expect(calls()).toHaveLength(1);
});

test("a cancelled job hangs up on its model", async () => {
  server.behave(() => "hang");
  const patient = definePipeline("patient").stage("ask", soon, (context) =>
    generateText(context, { key: "ask", model, prompt: "Well?" }),
  );
  const engine = await aWorker(db, patient);
  const { id } = await engine.add(patient, null);
  await server.asked(before + 1);
  await engine.cancel(id);
  await vi.waitFor(() => expect(calls()[0]?.isLeft).toBe(true), 10_000);
  await vi.waitFor(async () => expect((await engine.get(id))?.status).toBe("cancelled"), 10_000);
});

test("an answer that a person confirmed without its value says what to do", async () => {
  const doubtful = definePipeline("doubtful").stage("ask", soon, (context) =>
    generateText(context, { key: "ask", model, prompt: "Well?", timeout: 200, unknown: "fail" }),
  );
  server.behave(() => "hang");
  const engine = await aWorker(db, doubtful);
  const { id } = await engine.add(doubtful, null);
  await expect(engine.result(id, limit)).rejects.toThrow("It is not known whether effect");
  await engine.confirmEffect(id, "ask", null);
  await engine.retry(id);
  await expect(engine.result(id, limit)).rejects.toThrow("recorded as done without its answer");
});

test("what a model asks of a tool is part of the answer", async () => {
  server.behave(() => ({ text: "", toolCalls: [{ name: "weather", input: { town: "Oslo" } }] }));
  const weather = tool({ description: "The weather", inputSchema: z.object({ town: z.string() }) });
  const forecast = definePipeline("forecast").stage("ask", soon, (context) =>
    generateText(context, { key: "ask", model, prompt: "How is the weather?", tools: { weather } }),
  );
  const engine = await aWorker(db, forecast);
  const { id } = await engine.add(forecast, null);
  expect(await engine.result(id, limit)).toMatchObject({
    finishReason: "tool-calls",
    toolCalls: [{ toolName: "weather", input: { town: "Oslo" } }],
  });
});
