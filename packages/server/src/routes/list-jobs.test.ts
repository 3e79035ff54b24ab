import { apiCaller, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jobCountsSchema, jobPageSchema } from "../contract/jobs.ts";
import { operatorAndViewer, served, tokens } from "../testing/served.ts";

const db = testDatabase();
const factory = new JobFactory(db);
const { server, stop } = served(db.url, {
  access: { tokens: operatorAndViewer },
  mountPath: "/ops",
  redact: ["/payload/card"],
  readsPerSecond: null,
});
const send = apiCaller(server);
const call = <Body = Page>(line: string, token = tokens.operator) => send<Body>(line, { token });

interface Page {
  data: { id: string; payloadPreview: string | null; status: string }[];
  page: { next: string | null; previous: string | null; hasMore: boolean; isCutShort: boolean };
  count?: object;
  code?: string;
  detail?: string;
}

/** Oldest first. */
const pending: string[] = [];

beforeAll(async () => {
  await factory.aPipeline("orders", ["read", "file"]);
  const worker = await factory.aWorker({ serves: ["orders/read"] });
  await factory.aFailedJob({ by: worker, tags: ["late"] });
  for (let order = 0; order < 5; order += 1) {
    const payload = order === 4 ? { order, card: "4111" } : { order };
    pending.push(await factory.aPendingJob({ payload, at: secondsAfter(noon, order) }));
  }
});
afterAll(stop);

const ids = (page: Page) => page.data.map(({ id }) => id);

test("a list shows the newest first, as its contract says", async () => {
  const { status, body } = await call("GET /jobs?filter=status:pending");
  expect(status).toBe(200);
  jobPageSchema.parse(body);
  expect(ids(body)).toEqual(pending.toReversed());
  expect(body.page).toMatchObject({ next: null, previous: null, hasMore: false, isCutShort: false });
  expect(body.count).toBeUndefined();
});

test("pages lead to each other, there and back", async () => {
  const first = await call("GET /jobs?filter=status:pending&limit=2");
  expect(first.body.page).toMatchObject({ hasMore: true, previous: null });
  const [, next = ""] =
    /<\/ops(\/api\/v1\/jobs\?[^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "") ?? [];
  const second = await apiCaller(server, "http://localhost/ops")<Page>(`GET ${next}`, {
    token: tokens.operator,
  });
  expect(second.headers.get("link")).toMatch(/rel="next".*rel="prev"/);
  const third = await call(`GET /jobs?filter=status:pending&limit=2&cursor=${second.body.page.next}`);
  expect([...ids(first.body), ...ids(second.body), ...ids(third.body)]).toEqual(pending.toReversed());
  expect(third.body.page.hasMore).toBe(false);
  const back = await call(`GET /jobs?filter=status:pending&limit=2&cursor=${third.body.page.previous}`);
  expect(ids(back.body)).toEqual(ids(second.body));
});

test("what a list counts, it counts when asked", async () => {
  const { body } = await call("GET /jobs?filter=tag:late&count=1");
  expect(body.count).toEqual({ value: 1, exact: true, capped: false });
  expect(body.data).toHaveLength(1);
});

test("counts come by status", async () => {
  const all = await call<object>("GET /jobs/counts");
  expect(jobCountsSchema.parse(all.body).counts).toMatchObject({
    pending: { value: 5, exact: true },
    failed: { value: 1 },
    completed: { value: 0 },
  });
  const some = await call<object>("GET /jobs/counts?filter=tag:late status:failed,pending");
  expect(some.body).toMatchObject({
    counts: { failed: { value: 1 }, pending: { value: 0 }, completed: { value: 0 } },
  });
});

describe("the beginning of a payload", () => {
  test("is shown to those who may see payloads, without what is hidden", async () => {
    const { body } = await call("GET /jobs?filter=status:pending&limit=2");
    expect(body.data.map(({ payloadPreview }) => payloadPreview && JSON.parse(payloadPreview))).toEqual([
      { card: "[redacted]", order: 4 },
      { order: 3 },
    ]);
  });

  test("is not shown to others, who cannot search it either", async () => {
    const { body } = await call("GET /jobs?filter=status:pending", tokens.viewer);
    expect(new Set(body.data.map(({ payloadPreview }) => payloadPreview))).toEqual(new Set([null]));
    const searched = await call("GET /jobs?filter=payload.order:4", tokens.viewer);
    expect([searched.status, searched.body.code]).toEqual([403, "rights.missing"]);
    expect((await call("GET /jobs/counts?filter=payload.order:4", tokens.viewer)).status).toBe(403);
  });

  test("is searched, but not for what is hidden", async () => {
    expect(ids((await call("GET /jobs?filter=payload.order:4")).body)).toEqual([pending[4]]);
    for (const word of ["payload.card:4111", "payload.card.number:4111", "payload.password:x"]) {
      const { status, body } = await call(`GET /jobs?filter=${word}`);
      expect([word, status, body.code]).toEqual([word, 403, "filter.redacted"]);
    }
  });
});

describe("refused:", () => {
  const cases: [string, number, string][] = [
    ["filter=statuss:failed", 422, "filter.invalid"],
    ["filter=status:broken", 422, "filter.invalid"],
    ["filter=nothing", 422, "filter.invalid"],
    ["sort=priority", 422, "filter.invalid"],
    ["sort=-finishedAt", 422, "input.invalid"],
    ["limit=0", 422, "input.invalid"],
    ["limit=201", 422, "input.invalid"],
    ["limit=many", 422, "input.invalid"],
    ["cursor=abc", 400, "cursor.invalid"],
    ["count=maybe", 422, "input.invalid"],
  ];
  test.each(cases)("%s", async (query, status, code) => {
    const { status: given, body } = await call(`GET /jobs?${query}`);
    expect([given, body.code]).toEqual([status, code]);
  });

  test("a misspelt qualifier, with the nearest one", async () => {
    expect((await call("GET /jobs?filter=statuss:failed")).body.detail).toContain('Did you mean "status"?');
  });

  test("a cursor of another list", async () => {
    const { body } = await call("GET /jobs?filter=status:pending&limit=2");
    const other = await call(`GET /jobs?filter=status:failed&limit=2&cursor=${body.page.next}`);
    expect([other.status, other.body.code]).toEqual([400, "cursor.filter_mismatch"]);
  });
});
