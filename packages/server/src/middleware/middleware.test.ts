import { apiCaller, ManualClock, testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline, type Logger } from "lockstep";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { ServerOptions } from "../config/server-config.ts";
import { createServer } from "../create-server.ts";
import type { Server } from "../server.ts";

const db = testDatabase();
const notes = definePipeline("notes").stage("write", async () => null);
const engine = createEngine({ databaseUrl: db.url, pipelines: [notes], logger: null });
const servers: Server[] = [];
const job = { pipeline: "notes", payload: {} };

function served(options: Partial<ServerOptions> = {}): Server {
  const server = createServer({ engine, access: "loopback", logger: null, ...options });
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});
afterAll(() => engine.stop());

describe("the names it is called by", () => {
  const token = "a-token-of-the-tests-of-names";
  const withTokens: Partial<ServerOptions> = {
    access: { tokens: [{ user: "ops", role: "operator", token }] },
    hosts: ["Jobs.example.com"],
  };
  const cases: [string, string, Partial<ServerOptions>, number][] = [
    ["this machine", "localhost:4400", {}, 200],
    ["this machine by its address", "127.0.0.1", {}, 200],
    ["this machine by its other address", "[::1]:4400", {}, 200],
    ["a name that leads here (DNS rebinding)", "evil.example:4400", {}, 421],
    ["a name that only looks like it", "localhost.evil.example", {}, 421],
    ["another address, with all rights for all", "192.0.2.7", {}, 421],
    ["a name it was given", "jobs.example.com:8080", withTokens, 200],
    ["a name it was not given", "other.example.com", withTokens, 421],
    ["an address, with tokens", "192.0.2.7:4400", withTokens, 200],
    ["any name, if told so", "other.example.com", { ...withTokens, hosts: ["*"] }, 200],
    ["nothing", "", {}, 421],
  ];
  test.each(cases)("%s", async (_name, host, options, status) => {
    const answer = await apiCaller(served(options))("GET /me", { token, headers: { host } });
    expect(answer.status).toBe(status);
    if (status === 421) expect(answer.body.code).toBe("host.unknown");
  });

  test.each(["x-forwarded-for", "forwarded", "x-real-ip"])(
    "who comes through a proxy (%s) is no neighbour",
    async (header) => {
      const answer = await apiCaller(served())("GET /me", { headers: { [header]: "127.0.0.1" } });
      expect(answer).toMatchObject({ status: 403, body: { code: "origin.refused" } });
    },
  );

  test("who comes from another machine is no neighbour, whatever name they call", async () => {
    const server = served();
    const from = (remoteAddress: string) =>
      server.fetch(new Request("http://localhost/api/v1/me"), { incoming: { socket: { remoteAddress } } });
    expect((await from("192.0.2.9")).status).toBe(403);
    expect((await from("::ffff:127.0.0.1")).status).toBe(200);
  });

  test("who comes from nobody knows where is no neighbour either", async () => {
    const server = served();
    for (const peer of [undefined, {}, { incoming: {} }, { incoming: { socket: {} } }]) {
      const answer = await server.fetch(new Request("http://localhost/api/v1/me"), peer);
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({
        code: "origin.refused",
        detail: expect.stringContaining("the host does not tell where this request comes from"),
      });
    }
  });
});

describe("pages of other sites", () => {
  const cases: [string, Record<string, string>, number][] = [
    ["a program", {}, 201],
    ["a page of its own", { "sec-fetch-site": "same-origin", origin: "http://localhost" }, 201],
    ["a person at the address bar", { "sec-fetch-site": "none" }, 201],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["a site next door", { "sec-fetch-site": "same-site" }, 403],
    ["an old browser at another site", { origin: "http://evil.example" }, 403],
    ["another port", { origin: "http://localhost:8080" }, 403],
    ["a page without an origin", { origin: "null" }, 403],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["a form in disguise", { "content-type": "text/plain" }, 415],
  ];
  test.each(cases)("%s adds a job: %s", async (_name, headers, status) => {
    const answer = await apiCaller(served())("POST /jobs", { body: JSON.stringify(job), headers });
    expect(answer.status).toBe(status);
  });

  test("of this machine alone, they take no places of its streams, while links to it are followed", async () => {
    const ask = (mode: string, site: string) =>
      apiCaller(served())("GET /me", { headers: { "sec-fetch-site": site, "sec-fetch-mode": mode } });
    expect(await ask("no-cors", "cross-site")).toMatchObject({
      status: 403,
      body: { code: "origin.refused" },
    });
    expect(await ask("cors", "cross-site")).toMatchObject({ status: 403 });
    expect((await ask("navigate", "cross-site")).status).toBe(200);
    expect((await ask("cors", "same-origin")).status).toBe(200);
  });

  test("get no leave to read", async () => {
    const answer = await apiCaller(served())("GET /me", { headers: { origin: "http://evil.example" } });
    expect(answer.headers.has("access-control-allow-origin")).toBe(false);
    expect(answer.headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });
});

test("every answer forbids what browsers need not do", async () => {
  const call = apiCaller(served(), "http://localhost");
  for (const line of [
    "GET /",
    "GET /api/v1/me",
    "GET /nothing",
    "POST /api/v1/jobs",
    "GET /health",
    "GET /page.css",
  ]) {
    const { headers } = await call(line);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
  }
});

test("every answer says how long the server took, unless it is to a stranger", async () => {
  const token = "a-token-of-the-tests-of-times";
  const call = apiCaller(served({ access: { tokens: [{ user: "ops", role: "operator", token }] } }));
  const timing = async (given: string) =>
    (await call("GET /stats", { token: given })).headers.get("server-timing");
  expect(await timing(token)).toMatch(/^total;dur=\d+\.\d$/);
  expect(await timing("not-a-token-of-the-tests")).toBeNull();
});

describe("rates", () => {
  test("let a user do so much a second, and as much again after a while", async () => {
    const clock = new ManualClock();
    const call = apiCaller(served({ clock, readsPerSecond: 2, addsPerSecond: 1 }));
    const statuses = async (line: string, times: number) => {
      const all: number[] = [];
      for (let time = 0; time < times; time += 1) {
        all.push((await call(line, line.startsWith("POST") ? { body: job } : {})).status);
      }
      return all;
    };
    expect(await statuses("GET /me", 6)).toEqual([200, 200, 200, 200, 429, 429]);
    // Each kind of request has its own.
    expect(await statuses("POST /jobs", 3)).toEqual([201, 201, 429]);
    const refused = await call("GET /me");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.body).toMatchObject({ code: "rate.exceeded" });
    await clock.advance(500);
    expect(await statuses("GET /me", 2)).toEqual([200, 429]);
    await clock.advance(60_000);
    expect(await statuses("GET /me", 5)).toEqual([200, 200, 200, 200, 429]);
  });

  test("never keep the process from saying that it lives", async () => {
    const call = apiCaller(served({ clock: new ManualClock(), readsPerSecond: 1 }));
    for (let time = 0; time < 5; time += 1) expect((await call("GET /health/live")).status).toBe(200);
  });
});

describe("the log", () => {
  interface Line {
    level: string;
    fields: object;
    message: string;
  }
  function recordingLogger(): { logger: Logger; lines: Line[] } {
    const lines: Line[] = [];
    const at = (level: string) => (fields: object, message: string) => lines.push({ level, fields, message });
    return { logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }, lines };
  }

  test("has a line for each request, without its query and its body", async () => {
    const { logger, lines } = recordingLogger();
    const call = apiCaller(served({ logger }));
    await call("POST /jobs?token=s3cret", {
      body: { ...job, payload: { word: "s3cret" } },
      headers: { "x-request-id": "r-1" },
    });
    expect(lines).toMatchObject([
      {
        level: "info",
        message: "POST /api/v1/jobs 201",
        fields: {
          event: "http.request",
          method: "POST",
          path: "/api/v1/jobs",
          status: 201,
          user: "local",
          requestId: "r-1",
        },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain("s3cret");
  });

  test("tells what went wrong here, and the answer does not", async () => {
    const { logger, lines } = recordingLogger();
    const access = {
      authorize() {
        throw new Error("the secret of the door is s3cret");
      },
    };
    const { status, body } = await apiCaller(served({ logger, access }))("GET /me");
    expect([status, body.code]).toEqual([500, "internal"]);
    expect(JSON.stringify(body)).not.toContain("s3cret");
    expect(lines.map(({ level }) => level)).toEqual(["error", "warn"]);
    expect(lines[0]?.message).toContain("s3cret");
    expect(lines[0]?.fields).toMatchObject({ requestId: body.requestId });
  });
});

describe("authorize", () => {
  test("says who it is", async () => {
    const access = {
      authorize: async (request: Request) =>
        request.headers.get("cookie") === "session=7" ? { user: "ada", role: "operator" as const } : null,
    };
    const call = apiCaller(served({ access }));
    expect((await call("GET /me", { headers: { cookie: "session=7" } })).body.user).toBe("ada");
    expect((await call("GET /me", { headers: { cookie: "session=8" } })).status).toBe(401);
  });

  test("lets nobody in by mistake", async () => {
    for (const grant of [
      {},
      { user: "" },
      { user: "a", rights: ["jobs.everything"] },
      { user: "a", role: "admin" },
    ]) {
      const call = apiCaller(served({ access: { authorize: () => grant as never } }));
      expect((await call("GET /me")).status).toBe(500);
    }
  });
});
