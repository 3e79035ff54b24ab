import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { Access } from "./access/access.ts";
import { createServer } from "./create-server.ts";
import { type Listening, type ListenOptions, listen } from "./listen.ts";

const db = testDatabase();
const engine = createEngine({ databaseUrl: db.url, logger: null });
afterAll(() => engine.stop());

const tokens: Access = {
  tokens: [{ user: "ops", role: "operator", token: "a-token-of-the-tests-for-listen" }],
};

async function listening(options: ListenOptions, access: Access = "loopback"): Promise<Listening> {
  const server = createServer({ engine, access, logger: null });
  onTestFinished(() => server.stop());
  const at = await listen(server, options);
  onTestFinished(() => at.stop());
  return at;
}

test("it answers at its address until it is stopped", async () => {
  const at = await listening({ port: 0 });
  expect(at.url).toBe(`http://127.0.0.1:${at.port}`);
  const live = await fetch(`${at.url}/health/live`);
  expect(await live.json()).toEqual({ ok: true });
  const added = await fetch(`${at.url}/api/v1/jobs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ pipeline: "none", payload: {} }),
  });
  expect(await added.json()).toMatchObject({ code: "pipeline.unknown" });
  await at.stop();
  await at.stop();
  await expect(fetch(`${at.url}/health/live`)).rejects.toThrow();
});

test("a port that is taken is told, or passed over", async () => {
  const first = await listening({ port: 0 });
  await expect(listening({ port: first.port })).rejects.toThrow(
    `Port ${first.port} of 127.0.0.1 is taken: choose another port, or "first free from ${first.port}".`,
  );
  const second = await listening({ port: `first free from ${first.port}` });
  expect(second.port).toBeGreaterThan(first.port);
});

test.each(["0.0.0.0", "::", "192.0.2.1", "example.com", ""])(
  "without tokens it does not listen on %j",
  async (host) => {
    await expect(listening({ host, port: 0 })).rejects.toThrow(/access: \{ tokens: \[/);
  },
);

test("with tokens it listens anywhere, and lets nobody in without one", async () => {
  const at = await listening({ host: "0.0.0.0", port: 0 }, tokens);
  const response = await fetch(`http://127.0.0.1:${at.port}/api/v1/jobs/x`);
  expect(response.status).toBe(401);
});

test.each([
  ["headers", "GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n", "X-Slow: 1\r\n"],
  [
    "a body",
    "POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n",
    " ",
  ],
])("a client that drips %s is cut off", async (_what, beginning, drop) => {
  const at = await listening({ port: 0, headersTimeoutMs: 100, requestTimeoutMs: 200 });
  const socket = connect(at.port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString();
  });
  // What still drips when it is cut off.
  socket.on("error", () => {});
  socket.write(beginning);
  const dripping = setInterval(() => socket.write(drop), 20);
  await once(socket, "close");
  clearInterval(dripping);
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
});

test("headers that are too large are refused", async () => {
  const at = await listening({ port: 0 });
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request(
      `${at.url}/health/live`,
      { headers: { "x-large": "x".repeat(17_000) } },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      },
    );
    sent.on("error", reject);
    sent.end();
  });
  expect(status).toBe(431);
});
