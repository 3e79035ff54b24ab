import { expect } from "vitest";

// A bound, not a wait: the first request makes some frameworks compile.
const patienceMs = 60_000;

export async function postJson(url: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

/** Asks until the answer is like this. */
export async function untilAnswer(
  url: string,
  wanted: object,
  headers: Record<string, string> = {},
): Promise<void> {
  await expect
    .poll(() => answerOf(url, headers), { timeout: patienceMs, interval: 250 })
    .toMatchObject(wanted);
}

/** What is no JSON, such as a page with an error, is shown as it is. */
async function answerOf(url: string, headers: Record<string, string>): Promise<unknown> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  return response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : { text };
}

/** Asks until somebody listens. */
export async function untilListening(url: string): Promise<void> {
  const isListening = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  await expect.poll(isListening, { timeout: patienceMs }).toBe(true);
}
