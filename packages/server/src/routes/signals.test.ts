import { apiCaller, aWaitingJob, aWaitingPipeline, JobFactory, testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createServer } from "../create-server.ts";

const db = testDatabase();
const factory = new JobFactory(db);
const tokens = {
  otto: "a-token-of-an-operator-in-the-tests",
  vera: "a-token-of-a-viewer-in-the-tests",
  olga: "a-token-of-an-owner-in-the-tests",
};
const engine = createEngine({ databaseUrl: db.url, logger: null, tokenSecret: "s".repeat(32) });
const server = createServer({
  engine,
  access: {
    tokens: [
      { user: "otto", role: "operator", token: tokens.otto },
      { user: "vera", role: "viewer", token: tokens.vera },
      { user: "olga's shop", role: "operator", owner: "olga", token: tokens.olga },
    ],
  },
  redactKeys: /card/,
  writesPerSecond: null,
  readsPerSecond: null,
  logger: null,
});
const send = apiCaller(server);
const call = <Body = Record<string, unknown>>(line: string, request: Parameters<typeof send>[1] = {}) =>
  send<Body>(line, { token: tokens.otto, ...request });
const yes = { value: { approved: true } };
const waiting = (options: Parameters<typeof aWaitingJob>[2] = {}) => aWaitingJob(db, factory, options);
const signals = () => db.query("select job_id from lockstep.signals");

beforeEach(() => db.reset());
beforeEach(() => aWaitingPipeline(factory));
afterAll(async () => {
  await server.stop();
  await engine.stop();
});

describe("POST /jobs/{id}/signals/{name}", () => {
  test("lets the job go on with the value, and is recorded with who sent it", async () => {
    const id = await waiting();
    expect(await call(`POST /jobs/${id}/signals/approval`, { body: yes })).toMatchObject({
      status: 200,
      body: { id, answer: "signalled" },
    });
    expect((await call(`GET /jobs/${id}`)).body).toMatchObject({
      stage: "ship",
      status: "pending",
      wait: null,
      outputs: { approval: { approved: true } },
      waits: [{ stage: "approval", outcome: "signalled", by: "otto" }],
    });
    expect((await call("GET /audit?limit=1")).body.data).toMatchObject([
      {
        user: "otto",
        action: "jobs.signal",
        target: `jobs/${id}`,
        outcome: "signalled",
        detail: { signal: "approval" },
      },
    ]);
  });

  test("is kept for a job that is not there yet", async () => {
    const id = await factory.aPendingJob();
    expect((await call(`POST /jobs/${id}/signals/approval`, { body: yes })).body).toEqual({
      id,
      answer: "kept",
    });
  });

  test("refuses a value that does not fit the wait, with the sentence, and changes nothing", async () => {
    const id = await waiting();
    const refused = await call(`POST /jobs/${id}/signals/approval`, { body: { value: { approved: "yes" } } });
    expect(refused).toMatchObject({ status: 422, body: { code: "signal.invalid" } });
    expect(refused.body.detail).toContain('does not fit the schema of wait "approval"');
    expect(await signals()).toEqual([]);
    expect(await call(`POST /jobs/${id}/signals/approval`, { body: { approved: true } })).toMatchObject({
      status: 422,
      body: { code: "input.invalid" },
    });
  });

  test("says why nothing was done", async () => {
    const id = await waiting();
    const at = (wait: string, job = id) => call(`POST /jobs/${job}/signals/${wait}`, { body: yes });
    const told = async (answer: ReturnType<typeof at>) => [(await answer).status, (await answer).body.code];
    expect(await told(at("aproval"))).toEqual([404, "wait.not_found"]);
    expect(await told(at("approval", "0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f"))).toEqual([
      404,
      "job.not_found",
    ]);
    expect(await told(at("approval"))).toEqual([200, undefined]);
    expect(await told(at("approval"))).toEqual([409, "wait.already_signalled"]);
    const ended = await waiting();
    await engine.cancel(ended);
    expect(await told(at("approval", ended))).toEqual([409, "job.finished"]);
    expect((await call("GET /audit")).body.data).toHaveLength(1);
  });

  test("comes too late for a wait that has timed out", async () => {
    await aWaitingPipeline(factory, { waitMs: 1, onTimeout: "continue" });
    const id = await waiting();
    await db.call("end_due_waits", { p_now: new Date(Date.now() + 1_000) });
    expect(await call(`POST /jobs/${id}/signals/approval`, { body: yes })).toMatchObject({
      status: 409,
      body: { code: "wait.timed_out" },
    });
  });

  test("with If-Match counts only as long as nobody has moved the job", async () => {
    const id = await waiting();
    const etag = (await call(`GET /jobs/${id}`)).headers.get("etag") ?? "";
    await engine.cancel(id);
    await engine.retry(id);
    const headers = { "if-match": etag };
    expect(await call(`POST /jobs/${id}/signals/approval`, { body: yes, headers })).toMatchObject({
      status: 412,
      body: { code: "version.changed", job: { id } },
    });
    expect(await signals()).toEqual([]);
  });

  test("with an Idempotency-Key gets the first answer when it comes again", async () => {
    const id = await waiting();
    const headers = { "idempotency-key": "k" };
    const first = await call(`POST /jobs/${id}/signals/approval`, { body: yes, headers });
    const again = await call(`POST /jobs/${id}/signals/approval`, { body: yes, headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });
});

describe("who may signal", () => {
  test("is no viewer, and an owner only for their own jobs", async () => {
    const [mine, others] = [await waiting({ owner: "olga" }), await waiting({ owner: "bob" })];
    const signal = (id: string, token: string) =>
      call(`POST /jobs/${id}/signals/approval`, { token, body: yes });
    expect(await signal(mine, tokens.vera)).toMatchObject({ status: 403, body: { code: "rights.missing" } });
    expect(await signal(others, tokens.olga)).toMatchObject({ status: 404, body: { code: "job.not_found" } });
    expect(await signal(mine, tokens.olga)).toMatchObject({ status: 200 });
  });

  test("is not the owner where the wait forbids it, whatever name they go by", async () => {
    await aWaitingPipeline(factory, { notBy: "owner" });
    const id = await waiting({ owner: "olga" });
    const owners = [
      tokens.olga,
      engine.ownerToken("olga", { expiresInMs: 60_000, signals: ["approval"] }),
      engine.jobToken(id, { expiresInMs: 60_000, signals: ["approval"] }),
    ];
    for (const token of owners) {
      expect(await call(`POST /jobs/${id}/signals/approval`, { token, body: yes })).toMatchObject({
        status: 403,
        body: { code: "wait.not_allowed" },
      });
    }
    expect(await call(`POST /jobs/${id}/signals/approval`, { body: yes })).toMatchObject({ status: 200 });
  });

  test("is an end user whose token was made for that wait, on their own jobs", async () => {
    const [mine, others] = [await waiting({ owner: "ada" }), await waiting({ owner: "bob" })];
    const signal = (id: string, signalsOfToken: readonly string[]) =>
      call(`POST /jobs/${id}/signals/approval`, {
        token: engine.ownerToken("ada", { expiresInMs: 60_000, signals: signalsOfToken }),
        body: yes,
      });
    expect(await signal(mine, [])).toMatchObject({ status: 403, body: { code: "rights.missing" } });
    expect(await signal(mine, ["address"])).toMatchObject({ status: 403 });
    expect(await signal(others, ["approval"])).toMatchObject({ status: 404 });
    expect(await signal(mine, ["approval"])).toMatchObject({ status: 200 });
    expect((await call(`GET /jobs/${mine}`)).body.waits).toMatchObject([{ by: "owner ada" }]);
  });

  test("is told by POST /owner-tokens, and a job's token is for that job alone", async () => {
    const [mine, other] = [await waiting(), await waiting()];
    const made = await call<{ token: string }>("POST /owner-tokens", {
      body: { jobId: mine, signals: ["approval"] },
    });
    const signal = (id: string) =>
      call(`POST /jobs/${id}/signals/approval`, { token: made.body.token, body: yes });
    expect(await signal(other)).toMatchObject({ status: 404 });
    expect(await signal(mine)).toMatchObject({ status: 200 });
    const cancel = await call(`POST /jobs/${other}/cancel`, { token: made.body.token });
    expect(cancel.status).toBe(401);
  });
});

describe("POST /pipelines/{pipeline}/signals/{key}/{name}", () => {
  const path = "/pipelines/orders/signals/order-7/approval";

  test("reaches the job that was added with the key", async () => {
    const added = await call("POST /jobs", {
      body: { pipeline: "orders", payload: {}, signalKey: "order-7" },
    });
    expect(added.status).toBe(201);
    expect(await call(`POST ${path}`, { body: yes })).toMatchObject({
      status: 200,
      body: { id: added.body.id, answer: "kept" },
    });
    expect(await call(`POST ${path}`, { body: yes })).toMatchObject({
      status: 409,
      body: { code: "wait.already_signalled" },
    });
  });

  test("says that no job has the key", async () => {
    expect(await call(`POST ${path}`, { body: yes })).toMatchObject({
      status: 404,
      body: { code: "job.not_found", detail: 'No job of pipeline "orders" has the signal key "order-7".' },
    });
  });

  test("is not for those who are bound to an owner", async () => {
    expect(await call(`POST ${path}`, { token: tokens.olga, body: yes })).toMatchObject({
      status: 403,
      body: { code: "owner.bound" },
    });
  });
});

describe("GET /waits", () => {
  interface Page {
    data: { id: string; payloadPreview: string | null; wait: { signal: string } }[];
    page: { next: string | null; hasMore: boolean };
    count?: { value: number; exact: boolean; capped: boolean };
  }
  let ids: string[];
  beforeEach(async () => {
    ids = [];
    for (const owner of ["olga", "bob", "olga"]) ids.push(await waiting({ owner, payload: { owner } }));
  });

  test("lists the jobs that wait for a signal, page by page, with what each waits for", async () => {
    await factory.aPendingJob();
    const first = await call<Page>("GET /waits?limit=2");
    expect(first.body.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(first.body.data[0]).toMatchObject({
      pipeline: "orders",
      owner: "olga",
      payloadPreview: '{"owner": "olga"}',
      wait: { kind: "wait", signal: "approval", onTimeout: "fail", schema: { type: "object" } },
    });
    const rest = await call<Page>(`GET /waits?limit=2&cursor=${first.body.page.next}`);
    expect(rest.body).toMatchObject({ data: [{ id: ids[2] }], page: { hasMore: false, next: null } });
    expect((await call<Page>("GET /waits?signal=other")).body.data).toEqual([]);
    expect(first.body).not.toHaveProperty("count");
    expect((await call<Page>("GET /waits?limit=1&count=true")).body.count).toEqual({
      value: 3,
      exact: true,
      capped: false,
    });
    expect((await call<Page>("GET /waits?pipeline=orders&signal=approval")).body.data).toHaveLength(3);
    expect(await call("GET /waits?cursor=nonsense")).toMatchObject({
      status: 400,
      body: { code: "cursor.invalid" },
    });
  });

  test("shows an owner their own, and payloads only to those who may see them", async () => {
    const own = await call<Page>("GET /waits", { token: tokens.olga });
    expect(own.body.data.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    expect(await call("GET /waits?owner=bob", { token: tokens.olga })).toMatchObject({
      status: 403,
      body: { code: "owner.bound" },
    });
    const seen = await call<Page>("GET /waits", { token: tokens.vera });
    expect(seen.body.data.map(({ payloadPreview }) => payloadPreview)).toEqual([null, null, null]);
  });

  test("hides what is hidden from all", async () => {
    const id = await waiting({ payload: { card: "4111" } });
    const { body } = await call<Page>("GET /waits");
    expect(body.data.find((job) => job.id === id)?.payloadPreview).toBe('{"card":"[redacted]"}');
  });
});
