import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ProviderAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface SentSms {
  readonly to: string;
  readonly from: string;
  readonly body: string;
  readonly sid: string;
  /** As Twilio writes it. */
  readonly date_created: string;
}

/** What Twilio and OpenAI would say, at one address of this machine. */
export interface ProviderServer {
  readonly url: string;
  readonly sms: SentSms[];
  /** The idempotency keys with which the model was asked. */
  readonly asked: string[];
  /** How many questions were hung up on before they were answered. */
  hungUp: number;
  /** Null: the SMS is sent. "cut": it is sent, and the answer is lost. */
  onSms: (to: string) => ProviderAnswer | "cut" | null;
  /** Null: the model answers. "hang": it never does. */
  onQuestion: (prompt: string) => ProviderAnswer | "hang" | null;
  stop(): Promise<void>;
}

export async function startProviderServer(port = 0): Promise<ProviderServer> {
  const server = createServer((request, response) => {
    void answer(request, response, provider);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const provider: ProviderServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sms: [],
    asked: [],
    hungUp: 0,
    onSms: () => null,
    onQuestion: () => null,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return provider;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  provider: ProviderServer,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString("utf8");
  if (request.url?.includes("/Messages.json")) return twilio(request, response, body, provider);
  provider.asked.push(String(request.headers["idempotency-key"]));
  const special = provider.onQuestion(body);
  if (special === "hang") {
    response.on("close", () => {
      provider.hungUp += 1;
    });
    return;
  }
  if (special !== null) return send(response, special);
  const content = JSON.stringify({
    headline: "A day for <patterns>",
    summary: "Written by the model.\u0000",
    focus: ["Weave"],
    phases: [
      { name: "Plan", tasks: ["Write down the goal"] },
      { name: "Do", tasks: ["Try it out"] },
    ],
    interests: ["looms"],
  });
  send(response, {
    status: 200,
    body: {
      ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "served-model" },
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    },
  });
}

function twilio(
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
  body: string,
  provider: ProviderServer,
) {
  if (method === "GET") {
    const to = new URL(url, provider.url).searchParams.get("To");
    return send(response, { status: 200, body: { messages: provider.sms.filter((sms) => sms.to === to) } });
  }
  const form = new URLSearchParams(body);
  const to = form.get("To") ?? "";
  const special = provider.onSms(to);
  if (special !== null && special !== "cut") return send(response, special);
  const sid = `SM${provider.sms.length + 1}`;
  provider.sms.push({
    to,
    from: form.get("From") ?? "",
    body: form.get("Body") ?? "",
    sid,
    date_created: new Date().toUTCString(),
  });
  if (special === "cut") return void response.destroy();
  send(response, { status: 201, body: { sid, to, body: form.get("Body") } });
}

function send(response: ServerResponse, { status, body = {}, headers = {} }: ProviderAnswer): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
