import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { until } from "./until.ts";

/** A provider of effects, outside of every worker: it notes each call, and answers when the test lets it. */
export interface Provider {
  /** The address at which it hears of this letter. */
  urlOf(letter: string): string;
  /** The idempotency keys of the calls for this letter, as they came. */
  keysOf(letter: string): readonly string[];
  called(letter: string): Promise<void>;
  /** Answers what waits and whatever comes from now on for this letter. */
  answer(letter: string): void;
}

export async function startProvider(): Promise<Provider> {
  const calls = new Map<string, string[]>();
  const waiting = new Map<string, ServerResponse[]>();
  const answered = new Set<string>();
  const keysOf = (letter: string) => calls.get(letter) ?? [];
  const reply = (letter: string, response: ServerResponse) =>
    response.end(JSON.stringify({ number: keysOf(letter).length }));

  const server = createServer((request, response) => {
    const letter = request.url?.slice(1) ?? "";
    calls.set(letter, [...keysOf(letter), String(request.headers["idempotency-key"])]);
    if (answered.has(letter)) reply(letter, response);
    else waiting.set(letter, [...(waiting.get(letter) ?? []), response]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (letter) => `http://127.0.0.1:${port}/${letter}`,
    keysOf,
    called: (letter) => until(`the provider is asked for ${letter}`, async () => keysOf(letter).length > 0),
    answer(letter) {
      answered.add(letter);
      for (const response of waiting.get(letter) ?? []) reply(letter, response);
    },
  };
}
