import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { testDatabase } from "@lockstep/test-support";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { createEngine, definePipeline } from "lockstep";
import { NextRequest } from "next/server.js";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createServer } from "./create-server.ts";
import { nodeHandler } from "./node-handler.ts";

const db = testDatabase();
const notes = definePipeline("notes").stage("write", async () => null);
const engine = createEngine({ databaseUrl: db.url, pipelines: [notes], logger: null });
const server = createServer({ engine, access: "loopback", mountPath: "/ops/jobs", logger: null });
afterAll(async () => {
  await server.stop();
  await engine.stop();
});

type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

const over =
  (url: string): Fetch =>
  (path, init) =>
    fetch(url + path, init);

async function listening(listener: RequestListener): Promise<Fetch> {
  const http = createHttpServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  await once(http, "listening");
  return over(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
}

const hosts: Record<string, () => Promise<Fetch>> = {
  async Hono() {
    const app = new Hono();
    app.get("/", (c) => c.text("the host"));
    app.mount("/ops/jobs", server.fetch);
    const http = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1", overrideGlobalObjects: false });
    onTestFinished(() => void http.close());
    await once(http, "listening");
    return over(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  },
  async Express() {
    const app = express();
    app.get("/", (_request, response) => void response.send("the host"));
    app.use("/ops/jobs", nodeHandler(server));
    app.use(express.json());
    return await listening(app);
  },
  async Fastify() {
    const app = fastify();
    const handle = nodeHandler(server);
    app.get("/", async () => "the host");
    await app.register(
      async (scope) => {
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser("*", (_request, _body, done) => done(null));
        scope.all("/*", (request, reply) => {
          reply.hijack();
          return handle(request.raw, reply.raw);
        });
      },
      { prefix: "/ops/jobs" },
    );
    await app.listen({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => {
      app.server.closeAllConnections();
      return app.close();
    });
    return over(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
  },
  // A route handler as app/ops/jobs/[[...path]]/route.ts exports it: export const GET = server.fetch.
  async Next() {
    const handler = (request: NextRequest) => server.fetch(request);
    return async (path, init = {}) =>
      path === "/"
        ? new Response("the host")
        : await handler(
            new NextRequest(
              `http://localhost:3000${path}`,
              init as ConstructorParameters<typeof NextRequest>[1],
            ),
          );
  },
};

describe.each(Object.entries(hosts))("mounted in %s", (_name, start) => {
  test("it answers under its path, and leaves the rest to its host", async () => {
    const send = await start();
    expect(await (await send("/")).text()).toContain("the host");
    expect(await (await send("/ops/jobs/api/v1/me")).json()).toMatchObject({ user: "local" });
    const added = await send("/ops/jobs/api/v1/jobs", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ pipeline: "notes", payload: { note: "ä" } }),
    });
    expect(added.status).toBe(201);
    const location = added.headers.get("location") ?? "";
    expect(location).toMatch(/^\/ops\/jobs\/api\/v1\/jobs\/[0-9a-f-]{36}$/);
    const found = await send(location);
    expect(await found.json()).toMatchObject({ payload: { note: "ä" } });
    const again = await send(location, { headers: { "if-none-match": found.headers.get("etag") ?? "" } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const page = await send("/ops/jobs/", { headers: { accept: "text/html" } });
    expect(await page.text()).toContain('href="/ops/jobs/api/v1/openapi.json"');
    expect(await (await send("/ops/jobs/api/v1/none")).json()).toMatchObject({ code: "route.unknown" });
    const document = (await (await send("/ops/jobs/api/v1/openapi.json")).json()) as { servers: object[] };
    expect(document.servers).toEqual([{ url: "/ops/jobs/api/v1" }]);
  });

  test("its streams come through", async () => {
    const send = await start();
    const leaving = new AbortController();
    const stream = await send("/ops/jobs/api/v1/events?topics=stats", { signal: leaving.signal });
    expect(stream.headers.get("content-type")).toContain("text/event-stream");
    const reader = stream.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toContain("retry:");
    await reader?.cancel().catch(() => undefined);
    leaving.abort();
  });
});
