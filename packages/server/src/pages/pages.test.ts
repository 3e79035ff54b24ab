import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { apiCaller, JobFactory, ManualClock, testDatabase } from "@lockstep/test-support";
import { createEngine, type Engine } from "lockstep";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { ServerOptions } from "../config/server-config.ts";
import { createServer } from "../create-server.ts";

const db = testDatabase();
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function engineAt(databaseUrl: string): Engine {
  const engine = createEngine({ databaseUrl, logger: null });
  ends.unshift(() => engine.stop());
  return engine;
}

function serverOf(engine: Engine, options: Partial<ServerOptions> = {}) {
  const clock = new ManualClock();
  const server = createServer({ engine, access: "loopback", logger: null, clock, ...options });
  ends.unshift(() => server.stop());
  const call = apiCaller(server, "http://localhost");
  const page = (path: string) => call<string>(`GET ${path}`, { headers: { accept: "text/html,*/*" } });
  return { call, page, clock };
}

/** Leads to the test's database, while it is up. */
async function aDoor(): Promise<{ url: string; open(): Promise<void>; shut(): Promise<void> }> {
  const target = new URL(db.url);
  const sockets = new Set<Socket>();
  let tcp: TcpServer;
  let port = 0;
  const open = () =>
    new Promise<void>((resolve) => {
      tcp = createTcpServer((inner) => {
        const outer = connect(Number(target.port), target.hostname);
        for (const [from, to] of [
          [inner, outer],
          [outer, inner],
        ] as const) {
          sockets.add(from);
          from.on("error", () => to.destroy()).on("close", () => to.destroy());
          from.pipe(to);
        }
      }).listen(port, "127.0.0.1", () => {
        port = (tcp.address() as AddressInfo).port;
        resolve();
      });
    });
  const shut = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      if (!tcp.listening) resolve();
      else tcp.close(() => resolve());
    });
  await open();
  onTestFinished(shut);
  const url = new URL(db.url);
  url.host = `127.0.0.1:${port}`;
  return { url: url.href, open, shut };
}

describe("while the database is away", () => {
  test("a browser is told what is wrong, and the page looks again by itself", async () => {
    const { page, call } = serverOf(engineAt("postgres://ada:s3cret@127.0.0.1:1/none"));
    const { status, headers, body } = await page("/");
    expect(status).toBe(503);
    expect(headers.get("content-type")).toContain("text/html");
    expect(body).toContain("nothing listens where databaseUrl or connection points");
    expect(body).toContain('<meta http-equiv="refresh" content="3">');
    expect(body).not.toMatch(/s3cret|<script|style=|127\.0\.0\.1/);
    expect((await page("/jobs/7")).status).toBe(503);
    const api = await call("GET /api/v1/workers");
    expect(api).toMatchObject({ status: 503, body: { code: "database.unavailable" } });
    expect(api.headers.get("retry-after")).toBe("5");
    expect(await call("GET /health")).toMatchObject({ status: 503, body: { ok: false } });
    expect(await call("GET /health/live")).toMatchObject({ status: 200, body: { ok: true } });
    expect((await call("GET /page.css")).headers.get("content-type")).toContain("text/css");
  });

  test("all comes back by itself", async () => {
    const door = await aDoor();
    const { page, call, clock } = serverOf(engineAt(door.url));
    expect((await page("/")).status).toBe(200);
    await door.shut();
    await clock.advance(1_000);
    expect((await page("/")).status).toBe(503);
    expect((await call("GET /api/v1/stats")).body).toMatchObject({ code: "database.unavailable" });
    await door.open();
    await clock.advance(1_000);
    expect((await page("/")).status).toBe(200);
    expect((await call("GET /api/v1/stats")).status).toBe(200);
    await door.shut();
  });

  test("a database without our schema is told what to run", async () => {
    const empty = new URL(db.url);
    empty.pathname = "/postgres";
    const { page, call } = serverOf(engineAt(empty.href));
    expect((await page("/")).body).toContain("<code>lockstep migrate</code>");
    expect(await call("GET /api/v1/workers")).toMatchObject({
      status: 503,
      body: { code: "database.schema_missing" },
    });
  });
});

describe("health", () => {
  test("tells callers with the right what was looked at, and others only whether it is well", async () => {
    const engine = engineAt(db.url);
    const { call } = serverOf(engine);
    const { status, body } = await call<{ ok: boolean; checks: { check: string; ok: boolean }[] }>(
      "GET /health",
    );
    expect([status, body.ok]).toEqual([200, true]);
    expect(body.checks.map(({ check }) => check)).toEqual([
      "database",
      "notify lag ms",
      "event log lag ms",
      "clock skew ms",
      "dead rows",
      "oldest transaction ms",
      "lost workers",
      "jobs recovered in the last hour",
      "jobs failed by losses in the last hour",
      "stages without a worker",
      "overdue ms",
      "last retention run ms",
      "completed jobs kept ms",
      "failed and cancelled jobs kept ms",
      "events kept ms",
      "streams kept ms",
    ]);
    const token = "a-token-of-the-tests-of-pages";
    const closed = serverOf(engine, { access: { tokens: [{ user: "ops", rights: [], token }] } });
    expect(await closed.call("GET /health")).toMatchObject({ status: 200, body: { ok: true } });
    expect((await closed.call("GET /health", { token })).body).toEqual({ ok: true });
  });

  test("counts the jobs taken from lost workers, and warns of those that were lost too often", async () => {
    const jobs = new JobFactory(db);
    await jobs.aPipeline("fatal", [{ name: "crash", maxLosses: 1 }]);
    const at = new Date(Date.now() - 60_000);
    const worker = await jobs.aWorker({ at });
    await jobs.aClaimedJob({ by: worker, pipeline: "fatal", stage: "fatal/crash", at });
    await db.call("sweep_lost_workers");
    const { body } = await serverOf(engineAt(db.url)).call<{ checks: object[] }>("GET /api/v1/health");
    const told = { check: "jobs recovered in the last hour", ok: true, value: 1, threshold: null };
    expect(body.checks).toContainEqual(expect.objectContaining(told));
    // As long as it is on the list of workers, whether it holds jobs or not.
    expect(body.checks).toContainEqual(
      expect.objectContaining({
        check: "lost workers",
        ok: false,
        value: 1,
        advice: expect.stringContaining("They leave the list after a quarter of an hour."),
      }),
    );
    expect(body.checks).toContainEqual(
      expect.objectContaining({
        check: "jobs failed by losses in the last hour",
        ok: false,
        value: 1,
        advice: expect.stringContaining("WorkerLostError"),
      }),
    );
  });

  test("counts as lost whom the list of workers shows as lost, from the end of the lease until they leave the list", async () => {
    const jobs = new JobFactory(db);
    await jobs.aPipeline("letters", ["write"]);
    const at = new Date(Date.now() - 60_000);
    const worker = await jobs.aWorker({ at });
    const job = await jobs.aClaimedJob({ by: worker, pipeline: "letters", stage: "letters/write", at });
    await jobs.aWorker({ at: new Date() });
    const server = serverOf(engineAt(db.url));
    const shown = async () => {
      await server.clock.advance(1_000);
      const health = await server.call<{ checks: { check: string; value: number }[] }>("GET /api/v1/health");
      const { body } = await server.call<{
        data: { workerId: string; isAlive: boolean; activeJobs: number }[];
      }>("GET /api/v1/workers");
      const lost = body.data.filter(({ isAlive }) => !isAlive);
      expect(health.body.checks.find(({ check }) => check === "lost workers")?.value).toBe(lost.length);
      return lost.filter(({ workerId }) => workerId === worker).map(({ activeJobs }) => activeJobs);
    };
    expect(await shown()).toEqual([1]);
    await db.call("sweep_lost_workers");
    expect(await shown()).toEqual([0]);
    await db.query(
      "update lockstep.workers set lost_at = lost_at - interval '15 minutes' where lost_at is not null",
    );
    await db.call("sweep_lost_workers");
    expect(await shown()).toEqual([]);
    await db.call("cancel_job", { p_id: job.id });
  });

  test("says which stage nobody works on, and stays ready", async () => {
    await db.call("define_pipeline", { p_name: "lonely", p_stages: [{ name: "wait" }] });
    await db.call("add_job", { p_pipeline: "lonely" });
    const { call } = serverOf(engineAt(db.url));
    const { status, body } = await call<{ checks: object[] }>("GET /api/v1/health");
    expect(status).toBe(200);
    expect(body.checks).toContainEqual(
      expect.objectContaining({
        check: "stages without a worker",
        ok: false,
        value: 1,
        threshold: 0,
        advice: expect.stringContaining("lonely/wait"),
      }),
    );
  });
});

test("/metrics is text for Prometheus, here and there", async () => {
  const { call } = serverOf(engineAt(db.url));
  for (const path of ["/metrics", "/api/v1/metrics"]) {
    const { status, headers, body } = await call<string>(`GET ${path}`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(body).toContain("# TYPE lockstep_jobs gauge");
  }
});

test("without a console there is a plain page", async () => {
  const { page } = serverOf(engineAt(db.url), { mountPath: "/ops" });
  const { status, body } = await page("/ops");
  expect(status).toBe(200);
  expect(body).toContain('href="/ops/api/v1/openapi.json"');
  expect((await page("/ops/other")).body).toMatchObject({ code: "route.unknown" });
});

describe("a console", () => {
  function aConsole(): string {
    const folder = mkdtempSync(join(tmpdir(), "lockstep-console-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, "console", "assets"), { recursive: true });
    writeFileSync(
      join(folder, "console", "index.html"),
      '<!doctype html><script src="./assets/main-Ab12Cd34.js"></script>',
    );
    writeFileSync(join(folder, "console", "assets", "main-Ab12Cd34.js"), "export {};");
    writeFileSync(join(folder, "secret.txt"), "s3cret");
    return join(folder, "console");
  }

  test("is served with its files, also at its own pages", async () => {
    const { page, call } = serverOf(engineAt(db.url), { consoleFolder: aConsole(), mountPath: "/ops" });
    for (const path of ["/ops/", "/ops/jobs/7", "/ops/index.html"]) {
      const { status, headers, body } = await page(path);
      expect([path, status, headers.get("cache-control")]).toEqual([path, 200, "no-cache"]);
      expect(body).toContain('src="/ops/assets/main-Ab12Cd34.js"');
    }
    const script = await call("GET /ops/assets/main-Ab12Cd34.js");
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(script.headers.get("cache-control")).toContain("immutable");
    expect((await call("GET /ops/assets/other.js")).status).toBe(404);
    expect((await page("/ops/api/v1/other")).body).toMatchObject({ code: "route.unknown" });
  });

  test.each([
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/assets/..%5c..%5c..%5csecret.txt",
    "//etc/passwd",
  ])("gives nothing beside its folder: %s", async (path) => {
    const { call } = serverOf(engineAt(db.url), { consoleFolder: aConsole() });
    const { body } = await call<unknown>(`GET ${path}`);
    expect(JSON.stringify(body)).not.toContain("s3cret");
    expect(body).toMatchObject({ status: 404 });
  });

  test("is for those who are known", async () => {
    const access = { tokens: [{ user: "ops", token: "a-token-of-the-tests-of-pages" }] };
    const { page } = serverOf(engineAt(db.url), { consoleFolder: aConsole(), access });
    const { status, headers } = await page("/");
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toContain("Basic");
  });

  test("must have been built", () => {
    expect(() => serverOf(engineAt(db.url), { consoleFolder: dirname(aConsole()) })).toThrow(
      "consoleFolder must be the absolute path of a folder with an index.html: build the console first",
    );
  });
});
