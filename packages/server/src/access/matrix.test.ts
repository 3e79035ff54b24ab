import { apiCaller, JobFactory, testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline } from "lockstep";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createServer } from "../create-server.ts";

const db = testDatabase();
const factory = new JobFactory(db);
const sites = definePipeline("sites", { payload: z.object({ url: z.url() }) }).stage(
  "read",
  async () => "read",
);
const tokens = {
  viewer: "a-token-of-a-viewer-in-the-tests",
  operator: "a-token-of-an-operator-in-the-tests",
  owner: "a-token-of-an-owner-in-the-tests",
  nothing: "a-token-without-any-rights-at-all",
};
const engine = createEngine({
  databaseUrl: db.url,
  pipelines: [sites],
  logger: null,
  tokenSecret: "a secret of the tests, long enough for them",
});
const server = createServer({
  engine,
  environment: "staging",
  links: [{ title: "Documents", url: "/documents" }],
  access: {
    tokens: [
      { user: "vera", role: "viewer", token: tokens.viewer },
      { user: "otto", role: "operator", token: tokens.operator },
      { user: "olga", role: "operator", owner: "olga", token: tokens.owner },
      { user: "nemo", rights: [], token: tokens.nothing },
    ],
  },
  writesPerSecond: null,
  logger: null,
});
const call = apiCaller(server);

interface Route {
  "x-right": string;
  "x-owner-bound"?: boolean;
}
interface Document {
  paths: Record<string, Record<string, Route>>;
}

/** A right, an owner-bound and an open route each: what every caller gets at every route there is. */
let routes: { line: string; method: string; right: string; isForOwners: boolean }[] = [];
let othersJob = "";

beforeAll(async () => {
  await engine.add(sites, { url: "https://example.com/" });
  const { id } = await engine.add(sites, { url: "https://example.com/" }, { owner: "somebody else" });
  othersJob = id;
  const { body } = await call<Document>("GET /openapi.json", { token: tokens.operator });
  routes = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => ({
      line: `${method.toUpperCase()} ${pathTo(path)}`,
      method,
      right: route["x-right"],
      isForOwners: route["x-owner-bound"] === true,
    })),
  );
});
afterAll(async () => {
  await server.stop();
  await engine.stop();
});

/** Leads to what is there, and is another's. */
function pathTo(path: string): string {
  const values: Record<string, string> = { id: othersJob, pipeline: "sites", stage: "read", name: "sites" };
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? "unknown");
}

/** All that a request could have changed. */
async function everything(): Promise<unknown> {
  return await db.query(
    `select (select count(*) from lockstep.jobs) as jobs, (select count(*) from lockstep.finished_jobs) as finished,
      (select array_agg(paused_at) from lockstep.stages) as stages,
      (select count(*) from lockstep.recorded_actions) as actions`,
  );
}

function send(line: string, token?: string) {
  // A stream would not end by itself.
  const request = /^(POST|PUT) /.test(line) ? { body: {} } : { headers: { accept: "application/json" } };
  return call<{ code?: string; detail?: string }>(
    line,
    token === undefined ? request : { ...request, token },
  );
}

describe("every route of the API", () => {
  test("is known to this test", () => {
    expect(routes.length).toBeGreaterThan(20);
    expect(routes.filter(({ right }) => right === undefined)).toEqual([]);
  });

  test("refuses who comes without a token, or with a wrong one", async () => {
    const before = await everything();
    for (const { line, right } of routes) {
      if (right === "open") continue;
      const missing = await send(line);
      expect([line, missing.status, missing.body.code]).toEqual([line, 401, "token.missing"]);
      expect(missing.headers.get("www-authenticate")).toContain("Basic");
    }
    expect(await send("GET /me", "a-token-that-nobody-was-ever-given")).toMatchObject({
      status: 401,
      body: { code: "token.refused" },
    });
    expect(await everything()).toEqual(before);
  });

  test("refuses who lacks the right, and says which", async () => {
    const before = await everything();
    for (const { line, right } of routes) {
      if (right === "open" || right === "none") continue;
      const { status, body } = await send(line, tokens.nothing);
      expect([line, status, body.code]).toEqual([line, 403, "rights.missing"]);
      expect(body.detail).toContain(right);
    }
    expect(await everything()).toEqual(before);
  });

  test("lets a viewer read, and change nothing", async () => {
    const before = await everything();
    for (const { line, method, right } of routes) {
      const { status } = await send(line, tokens.viewer);
      const mayRead = ["jobs.read", "metrics.read", "none", "open"].includes(right);
      expect([line, status === 403]).toEqual([line, !mayRead]);
      if (method === "get" && mayRead) expect([line, [200, 404].includes(status)]).toEqual([line, true]);
    }
    expect(await everything()).toEqual(before);
  });

  test("changes nothing when it is only read, whoever reads", async () => {
    const before = await everything();
    for (const { line, method } of routes) {
      if (method !== "get") continue;
      const { status } = await send(line, tokens.operator);
      expect([line, status < 500]).toEqual([line, true]);
    }
    expect(await everything()).toEqual(before);
  });

  test("shows an owner nothing of others, and says not even that it is there", async () => {
    const before = await everything();
    for (const { line, right, isForOwners } of routes) {
      if (right === "open" || right === "none") continue;
      const { status, body } = await send(line, tokens.owner);
      if (!isForOwners) expect([line, status, body.code]).toEqual([line, 403, "owner.bound"]);
      else if (line.includes(othersJob)) {
        expect([line, status, body.code]).toEqual([line, 404, "job.not_found"]);
        const unknown = await send(
          line.replace(othersJob, "0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f"),
          tokens.owner,
        );
        expect(unknown.body.detail?.replace(/[0-9a-f-]{36}/, "")).toBe(
          body.detail?.replace(/[0-9a-f-]{36}/, ""),
        );
      }
    }
    expect(await everything()).toEqual(before);
  });

  test("refuses other methods with those it has", async () => {
    for (const line of [
      "DELETE /jobs",
      "PUT /pipelines",
      "PATCH /workers",
      "GET /jobs/1/cancel",
      "OPTIONS /stats",
    ]) {
      const { status, headers, body } = await call(line, { token: tokens.operator });
      expect([line, status, body.code]).toEqual([line, 405, "method.not_allowed"]);
      expect(headers.get("allow")).toMatch(/GET|POST/);
    }
  });
});

test("an owner's jobs are the owner's, whatever the request says", async () => {
  const payload = { url: "https://example.com/" };
  const added = await call("POST /jobs", { token: tokens.owner, body: { pipeline: "sites", payload } });
  expect(await factory.read(String(added.body.id))).toMatchObject({ owner: "olga" });
  const other = { pipeline: "sites", payload, owner: "somebody else" };
  expect(await call("POST /jobs", { token: tokens.owner, body: other })).toMatchObject({
    status: 403,
    body: { code: "owner.bound" },
  });
  expect(await call(`POST /jobs/${added.body.id}/cancel`, { token: tokens.owner })).toMatchObject({
    status: 200,
  });
});

test("an owner's list has the owner's jobs only, whatever the filter says", async () => {
  const { body } = await call<{ data: { owner: string }[] }>("GET /jobs", { token: tokens.owner });
  expect(new Set(body.data.map(({ owner }) => owner))).toEqual(new Set(["olga"]));
  const asked = await call("GET /jobs?filter=owner:somebody", { token: tokens.owner });
  expect(asked).toMatchObject({ status: 403, body: { code: "owner.bound" } });
});

test("an end user's token opens no list and no count", async () => {
  const token = engine.jobToken(othersJob, { expiresInMs: 60_000 });
  expect((await call(`GET /jobs/${othersJob}`, { token })).status).toBe(200);
  for (const line of ["GET /jobs", "GET /jobs/counts", "GET /stats", "GET /me"]) {
    const { status } = await call(line, { token });
    expect([line, status]).toEqual([line, 401]);
  }
});

test("/me tells who one is", async () => {
  expect((await call("GET /me", { token: tokens.viewer })).body).toEqual({
    user: "vera",
    rights: ["jobs.read", "metrics.read"],
    owner: null,
    server: {
      environment: "staging",
      links: [{ title: "Documents", url: "/documents" }],
      keepCompletedDays: 7,
      keepFailedDays: 30,
    },
  });
});

test("a browser logs in with the token as password", async () => {
  const basic = (password: string) => `Basic ${Buffer.from(`anyone:${password}`).toString("base64")}`;
  const answer = await call("GET /me", { headers: { authorization: basic(tokens.operator) } });
  expect(answer.body.user).toBe("otto");
  expect((await call("GET /me", { headers: { authorization: basic("wrong") } })).status).toBe(401);
});

test("who guesses tokens is soon heard no more, and others are", async () => {
  for (let guess = 0; guess < 10; guess += 1)
    await call("GET /me", { token: `wrong ${guess}`.padEnd(30, "x") });
  const refused = await call("GET /me", { token: "one-more-token-that-is-quite-wrong" });
  expect(refused).toMatchObject({ status: 429, body: { code: "rate.exceeded" } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await call("GET /me", { token: tokens.viewer })).status).toBe(200);
});

test("owner tokens are made by those who may, and recorded", async () => {
  const { status, body } = await call<{ token: string }>("POST /owner-tokens", {
    token: tokens.operator,
    body: { owner: "olga", expiresInMs: 60_000 },
  });
  expect(status).toBe(201);
  expect(engine.ownerOf(body.token)).toBe("olga");
  const audit = await call<{ data: object[] }>("GET /audit?limit=1", { token: tokens.operator });
  expect(audit.body.data).toMatchObject([{ user: "otto", action: "tokens.make", target: "owners/olga" }]);
  expect(JSON.stringify(audit.body)).not.toContain(body.token);
});
