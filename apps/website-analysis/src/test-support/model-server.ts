import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type QuestionId, questions } from "../services/asking/questions.ts";

/** What the server does with one call. */
export type ModelBehaviour =
  | "answer"
  | "hang"
  | "cut"
  | "nonsense"
  | "other-form"
  | "html"
  /** Half of the answer; then, or when that is known, the connection is cut or the rest comes. */
  | { readonly half: "cut" | Promise<"cut" | "rest"> }
  | { readonly status: number; readonly retryAfter?: string };

export interface ModelCall {
  readonly shape: "openai" | "gemini";
  readonly question: QuestionId | null;
  /** The path of the page that it is asked about. */
  readonly page: string;
  readonly idempotencyKey: string | null;
  readonly authorization: string | null;
  readonly model: string;
  readonly hasSchema: boolean;
}

/** A model on loopback that speaks as OpenAI and as Gemini do, and fails as they do. */
export interface ModelServer {
  readonly openAiUrl: string;
  readonly geminiUrl: string;
  readonly calls: readonly ModelCall[];
  /** How many calls about these pages were under way at the same time, at most. */
  mostAtOnce(isAbout: (page: string) => boolean): number;
  callsAbout(page: string): readonly ModelCall[];
  /** Decides for a page by question and by how often it was asked; everything else is answered. */
  behave(page: string, plan: (question: QuestionId | null, time: number) => ModelBehaviour): void;
  /** Resolves when a question about a page has been asked. */
  asked(page: string, question: QuestionId): Promise<void>;
  stop(): Promise<void>;
}

export async function startModelServer(): Promise<ModelServer> {
  const calls: ModelCall[] = [];
  const waiting: (() => void)[] = [];
  const underWay = new Set<ModelCall>();
  const together: string[][] = [];
  const plans = new Map<string, (question: QuestionId | null, time: number) => ModelBehaviour>();
  const timesAsked = (page: string, question: QuestionId | null) =>
    calls.filter((call) => call.page === page && call.question === question).length;

  const server = createServer(async (request, response) => {
    const call = callOf(request, await bodyOf(request));
    calls.push(call);
    underWay.add(call);
    response.on("close", () => underWay.delete(call));
    together.push([...underWay].map(({ page }) => page));
    for (const look of waiting) look();
    const plan = plans.get(call.page) ?? (() => "answer" as const);
    await reply(response, call, plan(call.question, timesAsked(call.page, call.question)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    openAiUrl: `${base}/v1`,
    geminiUrl: `${base}/v1beta`,
    calls,
    mostAtOnce: (isAbout) => Math.max(0, ...together.map((pages) => pages.filter(isAbout).length)),
    callsAbout: (page) => calls.filter((call) => call.page === page),
    behave: (page, plan) => void plans.set(page, plan),
    asked: (page, question) =>
      new Promise((resolve) => {
        const look = () => timesAsked(page, question) > 0 && resolve();
        waiting.push(look);
        look();
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function callOf({ url = "", headers }: IncomingMessage, body: string): ModelCall {
  const gemini = /models\/([^:]+):streamGenerateContent/.exec(url)?.[1];
  const parsed = JSON.parse(body) as { model?: string };
  const key = headers["idempotency-key"];
  return {
    shape: gemini === undefined ? "openai" : "gemini",
    question: questions.find(({ text }) => body.includes(JSON.stringify(text).slice(1, -1)))?.id ?? null,
    page: /Address: https?:\/\/[^/\s]+(\/[^\s\\]*)/.exec(body)?.[1] ?? "",
    idempotencyKey: typeof key === "string" ? key : null,
    authorization: headers.authorization ?? headers["x-goog-api-key"]?.toString() ?? null,
    model: gemini ?? parsed.model ?? "",
    hasSchema: /"json_schema"|"responseSchema"/.test(body),
  };
}

async function reply(response: ServerResponse, call: ModelCall, behaviour: ModelBehaviour): Promise<void> {
  if (behaviour === "hang") return;
  if (behaviour === "cut") {
    response.destroy();
    return;
  }
  if (behaviour === "html") {
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>");
    return;
  }
  if (typeof behaviour === "object" && "status" in behaviour) {
    const { status, retryAfter } = behaviour;
    const error = { message: `the model says ${status}`, type: "error", code: status, status: "ERROR" };
    response
      .writeHead(status, {
        "content-type": "application/json",
        ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
      })
      .end(JSON.stringify({ error }));
    return;
  }
  const answers = {
    answer: JSON.stringify({
      summary: `An answer to ${call.question}.\u0000`,
      points: ["first", "second", ""],
      confidence: "high",
    }),
    nonsense: "Sure! Here is what I think about bread",
    "other-form": '{"verdict":"nice","points":"many"}',
  };
  const half = typeof behaviour === "object" ? behaviour.half : null;
  const pieces = answers[typeof behaviour === "object" ? "answer" : behaviour].match(/\S+\s*/g) ?? [];
  const [piece, end] = call.shape === "openai" ? [openAiPiece, openAiEnd] : [geminiPiece, geminiEnd];
  const say = (data: object) => response.write(`data: ${JSON.stringify(data)}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [index, text] of pieces.entries()) {
    if (half !== null && index === Math.floor(pieces.length / 2)) {
      if ((await half) === "cut") return void response.destroy();
    }
    // Each piece on its own way, as a model makes them.
    await new Promise((resolve) => setImmediate(resolve));
    say(piece(text));
  }
  for (const data of end) say(data);
  response.end();
}

const openAiHead = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "served-model" };
const openAiPiece = (content: string) => ({ ...openAiHead, choices: [{ index: 0, delta: { content } }] });
const openAiEnd = [
  { ...openAiHead, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  { ...openAiHead, choices: [], usage: { prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050 } },
];

const geminiPiece = (text: string) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0 }],
});
const geminiEnd = [
  {
    candidates: [{ content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 50, totalTokenCount: 1_050 },
  },
];
