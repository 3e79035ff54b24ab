import { createServer } from "@lockstep/server";
import { testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline } from "lockstep";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { hosts, mountPath } from "./hosts.ts";

const db = testDatabase();
const letters = definePipeline("letters", { payload: z.object({ to: z.string() }), events: true }).stage(
  "send",
  () => "sent",
);
const token = "a-token-of-the-operator-for-the-mounts";

// The first request makes Next compile its route.
const limitMs = 60_000;

describe.each(hosts)("in $name", (host) => {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [letters], logger: null });
  const server = createServer({
    engine,
    mountPath,
    access: { tokens: [{ user: "operator", role: "operator", token }] },
  });
  let url = "";
  let stop: () => Promise<void> = async () => undefined;

  beforeAll(async () => {
    ({ url, stop } = await host.mount(server));
  }, limitMs);
  afterAll(async () => {
    await server.stop();
    await stop();
    await engine.stop();
  });

  const call = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, url), { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  const post = (path: string, body: unknown) =>
    call(`${mountPath}/api/v1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  test("a job is added, found where Location says, listed and cancelled", { timeout: limitMs }, async () => {
    const added = await post("/jobs", { pipeline: "letters", payload: { to: "Ada" } });
    expect(added.status).toBe(201);
    const location = added.headers.get("location") ?? "";
    expect(location).toMatch(/^\/ops\/jobs\/api\/v1\/jobs\/[0-9a-f-]{36}$/);
    const { id } = (await added.json()) as { id: string };
    const found = await call(location);
    expect(await found.json()).toMatchObject({
      id,
      payload: { to: "Ada" },
      status: "pending",
    });
    const list = await call(`${mountPath}/api/v1/jobs?filter=pipeline:letters`);
    expect(((await list.json()) as { data: unknown[] }).data[0]).toMatchObject({ id });
    const again = await call(location, { headers: { "if-none-match": found.headers.get("etag") ?? "" } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect((await post(`/jobs/${id}/cancel`, {})).status).toBe(200);
    expect(await engine.get(id)).toMatchObject({ status: "cancelled" });
  });

  test("its pages and its description know where it lies", async () => {
    const page = await call(`${mountPath}/`, { headers: { accept: "text/html" } });
    expect(await page.text()).toContain('href="/ops/jobs/api/v1/openapi.json"');
    const document = (await (await call(`${mountPath}/api/v1/openapi.json`)).json()) as { servers: object[] };
    expect(document.servers).toEqual([{ url: "/ops/jobs/api/v1" }]);
  });

  test("what is wrong comes as a problem, and the rest of the application is untouched", async () => {
    const invalid = await post("/jobs", { pipeline: "letters", payload: { to: 7 } });
    expect(invalid.status).toBe(422);
    expect(invalid.headers.get("content-type")).toContain("application/problem+json");
    expect(await invalid.json()).toMatchObject({
      code: "payload.invalid",
      errors: [{ pointer: "/payload/to" }],
    });
    expect((await call(`${mountPath}/api/v1/nothing`)).status).toBe(404);
    const stranger = await fetch(new URL(`${mountPath}/api/v1/jobs`, url));
    expect(stranger.status).toBe(401);
    if (host.name !== "Next") expect(await (await fetch(url)).text()).toBe("the application");
  });

  test("events stream through it, and a reader that leaves is let go", async () => {
    const leaving = new AbortController();
    const response = await call(`${mountPath}/api/v1/events?topics=jobs`, { signal: leaving.signal });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const { id } = await engine.add(letters, { to: "Bob" });
    let text = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes(id)) break;
    }
    expect(text).toContain("event: job");
    leaving.abort();
  });
});
