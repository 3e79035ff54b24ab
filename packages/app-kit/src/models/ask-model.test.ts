import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { RetryAfter } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { askModel } from "./ask-model.ts";
import { languageModel } from "./language-model.ts";
import { questionAbout } from "./model-error.ts";

interface Heard {
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
}

/** A server that speaks as OpenAI does; a null answer never comes. */
async function modelServer(
  answer: { status: number; headers?: Record<string, string>; text: string } | null,
) {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    heard.push({ headers: request.headers, body: await json(request) });
    if (answer === null) return;
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    const message = { role: "assistant", content: answer.text };
    response.end(
      JSON.stringify(
        answer.status === 200
          ? {
              id: "1",
              model: "served",
              choices: [{ index: 0, message, finish_reason: "stop" }],
              usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
            }
          : { error: { message: answer.text } },
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const model = languageModel({
    provider: "openai-compatible",
    name: "own-model",
    apiKey: null,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
  });
  return { model, heard };
}

const question = {
  system: "Be short.",
  content: "What is it?",
  schema: z.object({ text: z.string() }),
  timeoutMs: 20_000,
  signal: new AbortController().signal,
  words: questionAbout(),
  settings: "MODEL_NAME",
};

test("a model is asked once with the key of the question, and its answer comes with what it cost", async () => {
  const { model, heard } = await modelServer({ status: 200, text: '{"text":"a mill"}' });
  const asked = await askModel({ ...question, model, idempotencyKey: "key-1" });
  expect(asked).toEqual({
    answer: { text: "a mill" },
    modelId: "served",
    inputTokens: 7,
    outputTokens: 3,
  });
  expect(heard).toHaveLength(1);
  expect(heard[0]?.headers).toMatchObject({ "idempotency-key": "key-1" });
  expect(heard[0]?.body).toMatchObject({
    model: "own-model",
    messages: [
      { role: "system", content: "Be short." },
      { role: "user", content: "What is it?" },
    ],
  });
});

test("a refusal is not repeated here, and says when to ask again", async () => {
  const { model, heard } = await modelServer({
    status: 429,
    headers: { "retry-after": "7" },
    text: "too many",
  });
  const error = await askModel({ ...question, model }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RetryAfter);
  expect(error).toMatchObject({ afterMs: 7_000, message: "The model answered with 429: too many" });
  expect(heard).toHaveLength(1);
});

test("an answer that does not fit the schema is an error", async () => {
  const { model } = await modelServer({ status: 200, text: '{"other":1}' });
  await expect(askModel({ ...question, model })).rejects.toThrow("in a different form than asked for");
});

test("no answer in time is an error, and a job that is cancelled ends with its own reason", async () => {
  const { model } = await modelServer(null);
  await expect(askModel({ ...question, model, timeoutMs: 100 })).rejects.toThrow("no answer within 100 ms");
  const cancelled = AbortSignal.abort(new Error("cancelled"));
  await expect(askModel({ ...question, model, signal: cancelled })).rejects.toThrow("cancelled");
});
