import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { RetryAfter } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { askModel } from "./ask-model.ts";
import { languageModel } from "./language-model.ts";

/** A server that speaks as OpenAI does; a null answer never comes. */
async function modelServer(
  answer: { status: number; headers?: Record<string, string>; text: string } | null,
) {
  const heard: unknown[] = [];
  const server = createServer(async (request, response) => {
    heard.push(await json(request));
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
  about: "the mill",
  settings: "MODEL_NAME",
};

test("a model is asked once, and its answer fits the schema", async () => {
  const { model, heard } = await modelServer({ status: 200, text: '{"text":"a mill"}' });
  expect(await askModel({ ...question, model })).toEqual({ text: "a mill" });
  expect(heard).toHaveLength(1);
  expect(heard[0]).toMatchObject({
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
  expect(error).toMatchObject({
    afterMs: 7_000,
    message: "The model answered about the mill with 429: too many",
  });
  expect(heard).toHaveLength(1);
});

test("an answer that does not fit the schema is an error", async () => {
  const { model } = await modelServer({ status: 200, text: '{"other":1}' });
  await expect(askModel({ ...question, model })).rejects.toThrow("in a different form than asked for");
});

test("no answer in time is an error, and a job that is cancelled ends with its own reason", async () => {
  const { model } = await modelServer(null);
  await expect(askModel({ ...question, model, timeoutMs: 100 })).rejects.toThrow(
    "The model had no answer about the mill in time",
  );
  const cancelled = AbortSignal.abort(new Error("cancelled"));
  await expect(askModel({ ...question, model, signal: cancelled })).rejects.toThrow("cancelled");
});
