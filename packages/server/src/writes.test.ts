import { apiCaller, JobFactory, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { served } from "./testing/served.ts";

const db = testDatabase();
const factory = new JobFactory(db);
const tokens = { ada: "a-token-of-ada-in-the-tests", bob: "a-token-of-bob-in-the-tests" };
const { server, stop } = served(db.url, {
  access: {
    tokens: [
      { user: "ada", role: "operator", token: tokens.ada },
      { user: "bob", role: "operator", token: tokens.bob },
    ],
  },
  addsPerSecond: null,
  writesPerSecond: null,
});
const send = apiCaller(server);
const call = <Body = Record<string, unknown>>(line: string, request: Parameters<typeof send>[1] = {}) =>
  send<Body>(line, { token: tokens.ada, ...request });

beforeAll(() => factory.aPipeline("orders", ["read", "file"]));
// Each test has an order and a key of its own.
beforeEach(() => {
  order += 1;
});
afterAll(stop);

let order = 0;

function body() {
  return { pipeline: "orders", payload: { order } };
}

async function jobCount(): Promise<number> {
  const [row] = await db.query<{ jobs: number }>(
    "select count(*)::int as jobs from lockstep.jobs where payload @> jsonb_build_object('order', $1::int)",
    [order],
  );
  return row?.jobs ?? 0;
}

describe("an Idempotency-Key", () => {
  const key = (value = `k-${order}`) => ({ "idempotency-key": value });

  test("makes a request that comes again get the first one's answer", async () => {
    const first = await call("POST /jobs", { body: body(), headers: key() });
    const again = await call("POST /jobs", { body: body(), headers: key(`"k-${order}"`) });
    expect(first.headers.has("idempotent-replayed")).toBe(false);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
    expect(await jobCount()).toBe(1);
  });

  test("belongs to its user", async () => {
    await call("POST /jobs", { body: body(), headers: key() });
    await call("POST /jobs", { token: tokens.bob, body: body(), headers: key() });
    expect(await jobCount()).toBe(2);
  });

  test("is refused for another request", async () => {
    await call("POST /jobs", { body: body(), headers: key() });
    const other = await call("POST /jobs", { body: { ...body(), priority: 1 }, headers: key() });
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency.reused" } });
    expect(await jobCount()).toBe(1);
  });

  test("sent many times at once adds once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => call("POST /jobs", { body: body(), headers: key() })),
    );
    const codes = answers.map(({ status, body: answer }) => (status === 201 ? 201 : answer.code));
    expect(new Set(codes).size).toBeLessThanOrEqual(2);
    expect(codes).toContain(201);
    for (const { status, headers } of answers)
      if (status === 409) expect(headers.get("retry-after")).toBe("1");
    expect(await jobCount()).toBe(1);
  });

  test("stays free when the request was refused", async () => {
    expect((await call("POST /jobs", { body: { ...body(), pipeline: "none" }, headers: key() })).status).toBe(
      422,
    );
    expect((await call("POST /jobs", { body: body(), headers: key() })).status).toBe(201);
  });

  test("goes with every write", async () => {
    const id = await factory.aPendingJob();
    const cancel = () => call(`POST /jobs/${id}/cancel`, { headers: key("c") });
    expect((await cancel()).body).toEqual({ id, answer: "cancelled" });
    expect((await cancel()).body).toEqual({ id, answer: "cancelled" });
    const pause = () => call("POST /stages/orders/read/pause", { headers: key("p") });
    expect((await pause()).body).toMatchObject({ changed: true });
    expect((await pause()).body).toMatchObject({ changed: true });
    expect((await call("POST /stages/orders/read/pause")).body).toMatchObject({ changed: false });
  });

  test.each(["", " ", "ä", "x".repeat(256)])("%j is none", async (value) => {
    const { status, body: answer } = await call("POST /jobs", { body: body(), headers: key(value) });
    expect([status, answer.code]).toEqual([422, "input.invalid"]);
  });
});

describe("If-Match", () => {
  test("lets a move through as long as nobody else has moved the job", async () => {
    const id = await factory.aPendingJob();
    const etag = (await call(`GET /jobs/${id}`)).headers.get("etag") ?? "";
    const headers = { "if-match": etag };
    expect((await call(`POST /jobs/${id}/cancel`, { headers })).status).toBe(200);
    const stale = await call<{ code: string; job: object }>(`POST /jobs/${id}/retry`, { headers });
    expect(stale).toMatchObject({
      status: 412,
      body: { code: "version.changed", job: { id, status: "cancelled" } },
    });
    const now = (await call(`GET /jobs/${id}`)).headers.get("etag") ?? "";
    expect((await call(`POST /jobs/${id}/retry`, { headers: { "if-match": now } })).status).toBe(200);
    expect((await call(`POST /jobs/${id}/cancel`, { headers: { "if-match": "*" } })).status).toBe(200);
  });

  test("takes a tag that another caller was shown, and none that nobody was", async () => {
    const id = await factory.aPendingJob();
    const headers = { "if-match": '"never"' };
    expect((await call(`POST /jobs/${id}/cancel`, { headers })).status).toBe(412);
    expect(await factory.read(id)).toMatchObject({ status: "pending" });
  });
});

describe("the audit log", () => {
  test("tells who did what, newest first, page by page", async () => {
    await db.reset();
    await factory.aPipeline("orders", ["read", "file"]);
    const { body: added } = await call("POST /jobs", { body: body(), headers: { "x-request-id": "r-1" } });
    await call(`POST /jobs/${added.id}/cancel`, { token: tokens.bob });
    await call("POST /stages/orders/read/pause");
    await call("POST /stages/orders/read/resume");
    // Refused, so nothing was done.
    await call(`POST /jobs/${added.id}/cancel`);
    interface Page {
      data: { user: string; action: string; target: string; requestId: string }[];
      page: { next: string | null };
    }
    const first = await call<Page>("GET /audit?limit=3");
    const second = await call<Page>(`GET /audit?limit=3&cursor=${first.body.page.next}`);
    expect([...first.body.data, ...second.body.data]).toMatchObject([
      { user: "ada", action: "stages.resume", target: "stages/orders/read" },
      { user: "ada", action: "stages.pause", target: "stages/orders/read" },
      { user: "bob", action: "jobs.cancel", target: `jobs/${added.id}` },
      { user: "ada", action: "jobs.add", target: `jobs/${added.id}`, requestId: "r-1" },
    ]);
    expect(second.body.page.next).toBeNull();
    const bobs = await call<Page>("GET /audit?user=bob");
    expect(bobs.body.data).toHaveLength(1);
    expect((await call("GET /audit?cursor=x")).body.code).toBe("cursor.invalid");
  });
});

describe("stages and schedules", () => {
  test("are paused and go on", async () => {
    expect((await call("POST /stages/orders/read/pause")).body).toEqual({
      pipeline: "orders",
      stage: "read",
      isPaused: true,
      changed: true,
    });
    const { body: shown } = await call<{ stages: { pausedAt: string | null }[] }>("GET /pipelines/orders");
    expect(shown.stages.map(({ pausedAt }) => pausedAt === null)).toEqual([false, true]);
    expect((await call("POST /stages/orders/read/resume")).body).toMatchObject({
      isPaused: false,
      changed: true,
    });
  });

  test("must be there", async () => {
    expect((await call("POST /stages/orders/none/pause")).body).toMatchObject({
      status: 404,
      code: "stage.not_found",
    });
    expect((await call("POST /schedules/none/pause")).body).toMatchObject({
      status: 404,
      code: "schedule.not_found",
      // In words that are not those of SQL.
      detail: 'There is no schedule "none". See the list of schedules for the names that exist.',
    });
  });

  test("are listed page by page", async () => {
    for (const name of ["a", "b", "c"]) {
      await db.call("set_schedule", { p_name: name, p_pipeline: "orders", p_cron: "0 9 * * *" });
    }
    interface Page {
      data: { name: string; nextRuns: string[] }[];
      page: { next: string | null; hasMore: boolean };
    }
    const first = await call<Page>("GET /schedules?limit=2");
    expect(first.body.page.hasMore).toBe(true);
    const second = await call<Page>(`GET /schedules?limit=2&cursor=${first.body.page.next}`);
    expect([...first.body.data, ...second.body.data].map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(second.body.page).toMatchObject({ next: null, hasMore: false });
    expect((await call("POST /schedules/b/pause")).body).toEqual({
      name: "b",
      isPaused: true,
      changed: true,
    });
    expect((await call<Page>("GET /schedules")).body.data.find(({ name }) => name === "b")?.nextRuns).toEqual(
      [],
    );
    expect((await call("POST /schedules/b/resume")).body).toMatchObject({ isPaused: false });
  });
});
