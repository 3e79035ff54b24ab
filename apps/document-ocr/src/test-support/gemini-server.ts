import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface GeminiCall {
  readonly key: string | undefined;
  readonly model: string | undefined;
  readonly system: string;
  readonly text: string;
  readonly images: readonly { mimeType: string; bytes: Buffer }[];
}

export interface GeminiServer {
  readonly url: string;
  readonly calls: readonly GeminiCall[];
  /** What the next calls are answered with: a text, or a status. */
  answer(with_: string | { readonly status: number; readonly retryAfter?: string } | "hang"): void;
  stop(): Promise<void>;
}

interface Body {
  systemInstruction: { parts: { text: string }[] };
  contents: { parts: { text?: string; inlineData?: { mimeType: string; data: string } }[] }[];
}

/** A model on loopback that speaks as Gemini does. */
export async function startGeminiServer(): Promise<GeminiServer> {
  const calls: GeminiCall[] = [];
  let next: Parameters<GeminiServer["answer"]>[0] = "";
  const server = createServer(async (request, response) => {
    calls.push(callOf(request, JSON.parse(await bodyOf(request)) as Body));
    if (next === "hang") return;
    const [status, body] =
      typeof next === "string"
        ? [200, answerOf(JSON.stringify({ text: next }))]
        : [next.status, { error: { code: next.status, message: "the model says no", status: "ERROR" } }];
    const wait =
      typeof next === "object" && next.retryAfter !== undefined ? { "retry-after": next.retryAfter } : {};
    response.writeHead(status, { "content-type": "application/json", ...wait }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1beta`,
    calls,
    answer: (with_) => {
      next = with_;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function callOf({ url = "", headers }: IncomingMessage, body: Body): GeminiCall {
  const parts = body.contents.flatMap((content) => content.parts);
  return {
    key: headers["x-goog-api-key"]?.toString(),
    model: /models\/([^:]+):generateContent/.exec(url)?.[1],
    system: body.systemInstruction.parts.map(({ text }) => text).join(""),
    text: parts.map(({ text }) => text ?? "").join(""),
    images: parts.flatMap(({ inlineData }) =>
      inlineData === undefined
        ? []
        : [{ mimeType: inlineData.mimeType, bytes: Buffer.from(inlineData.data, "base64") }],
    ),
  };
}

function answerOf(text: string): object {
  return {
    candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 50, totalTokenCount: 1_050 },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
