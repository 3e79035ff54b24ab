import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** What the server does with one call. */
export type ModelBehaviour =
  /** Answers, word by word where it is asked to stream. */
  | {
      readonly text: string;
      readonly finish?: "stop" | "length" | "content_filter";
      readonly toolCalls?: readonly { readonly name: string; readonly input: unknown }[];
      readonly hasNoUsage?: boolean;
    }
  /** Refuses. */
  | { readonly status: number; readonly retryAfter?: string; readonly message?: string }
  /** Says so many words, and then resets the connection, ends the answer as if it were whole, tells an error, or says no more until it may. */
  | {
      readonly text: string;
      readonly after: number;
      readonly next: "reset" | "end" | "error" | Promise<void>;
    }
  /** Says nothing at all. */
  | "hang";

export interface ModelCall {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: {
    readonly model?: string;
    readonly stream?: boolean;
    readonly messages?: readonly { readonly content: unknown }[];
    readonly response_format?: unknown;
  };
  /** Whoever asked has hung up before the answer was whole. */
  isLeft: boolean;
}

/** A model on loopback that speaks OpenAI's protocol, well and badly. */
export interface ModelServer {
  /** For the provider's `baseURL`. */
  readonly url: string;
  readonly calls: readonly ModelCall[];
  /** What it does from now on: by how often it has been asked since. */
  behave(plan: (time: number) => ModelBehaviour): void;
  /** Resolves when it has been asked so often, in all. */
  asked(times: number): Promise<void>;
  stop(): Promise<void>;
}

/** What a call of it costs. */
export const promptTokens = 100;

export async function startModelServer(): Promise<ModelServer> {
  const calls: ModelCall[] = [];
  let plan: (time: number) => ModelBehaviour = () => ({ text: "Yes." });
  let first = 0;
  let waiting: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    const call: ModelCall = {
      headers: request.headers,
      body: (await json(request)) as ModelCall["body"],
      isLeft: false,
    };
    response.on("close", () => {
      call.isLeft = !response.writableFinished;
    });
    calls.push(call);
    for (const look of waiting.splice(0)) look();
    await reply(response, plan(calls.length - first), call.body.stream === true);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    behave(next) {
      plan = next;
      first = calls.length;
    },
    async asked(times) {
      while (calls.length < times) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    stop: () =>
      new Promise((resolve) => {
        waiting = [];
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function reply(response: ServerResponse, behaviour: ModelBehaviour, isStream: boolean): Promise<void> {
  if (behaviour === "hang") return;
  if ("status" in behaviour) {
    const { status, retryAfter, message = `the model says ${status}` } = behaviour;
    const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message, type: "error", code: String(status) } }));
    return;
  }
  if (isStream) return stream(response, behaviour);
  const { text, finish = "stop", toolCalls } = { finish: undefined, toolCalls: undefined, ...behaviour };
  const message = {
    role: "assistant",
    content: text,
    tool_calls: toolCalls?.map(({ name, input }, index) => ({
      id: `call-${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    })),
  };
  const choice = { index: 0, message, finish_reason: toolCalls === undefined ? finish : "tool_calls" };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ ...head, choices: [choice], usage: usageOf(text) }));
}

async function stream(
  response: ServerResponse,
  behaviour: Exclude<ModelBehaviour, "hang" | { status: number }>,
): Promise<void> {
  const { text } = behaviour;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (data: object | string) =>
    new Promise<void>((resolve) => {
      // Each in a packet of its own.
      response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`, () => resolve());
    });
  for (const [index, content] of wordsOf(text).entries()) {
    if ("after" in behaviour && index === behaviour.after) {
      const { next } = behaviour;
      if (next === "reset") return void response.destroy();
      if (next === "end") return void response.end();
      if (next === "error") {
        await send({ error: { message: "the model is overloaded", type: "overloaded_error" } });
        return void response.end();
      }
      await next;
    }
    await send({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] });
  }
  const finish = "finish" in behaviour ? (behaviour.finish ?? "stop") : "stop";
  await send({ ...head, choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  const hasUsage = !("hasNoUsage" in behaviour && behaviour.hasNoUsage);
  if (hasUsage) await send({ ...head, choices: [], usage: usageOf(text) });
  await send("[DONE]");
  response.end();
}

const head = { id: "chatcmpl-1", created: 1, model: "served-model" };

/** The words of a text with the space behind each, as the server sends them. */
export function wordsOf(text: string): string[] {
  return text.match(/\S+\s*/g) ?? [];
}

function usageOf(text: string): object {
  const words = wordsOf(text).length;
  return { prompt_tokens: promptTokens, completion_tokens: words, total_tokens: promptTokens + words };
}
