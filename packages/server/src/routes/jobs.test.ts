import { apiCaller, JobFactory, noon, testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { branchesSchema, jobSchema } from "../contract/jobs.ts";
import { problemSchema } from "../contract/problem.ts";
import { operatorAndViewer, served, tokens } from "../testing/served.ts";

const db = testDatabase();
const factory = new JobFactory(db);
const sites = definePipeline("sites", {
  payload: z.object({ url: z.url(), password: z.string().optional() }),
})
  .stage("read", async ({ payload }) => ({ read: payload.url }))
  .stage("tell", async () => ({ told: true }));
const { server, stop } = served(db.url, {
  pipelines: [sites],
  access: { tokens: operatorAndViewer },
  redact: ["/payload/card/number"],
  writesPerSecond: null,
  addsPerSecond: null,
});
const send = apiCaller(server);
const call = <Body = Record<string, unknown>>(line: string, request: Parameters<typeof send>[1] = {}) =>
  send<Body>(line, { token: tokens.operator, ...request });

beforeEach(async () => {
  await db.reset();
  await factory.aPipeline("orders", ["read", "file"]);
  // The engine tells the database of its pipelines once.
  await factory.aPipeline("sites", ["read", "tell"]);
});
afterAll(stop);

async function aJob(payload: object = { url: "https://example.com/" }): Promise<string> {
  const { body } = await call<{ id: string }>("POST /jobs", { body: { pipeline: "sites", payload } });
  return body.id;
}

describe("GET /jobs/{id}", () => {
  test("shows a job as its contract says", async () => {
    const { status, body } = await call(`GET /jobs/${await aJob()}`);
    expect(status).toBe(200);
    expect(jobSchema.parse(body)).toMatchObject({
      pipeline: "sites",
      stage: "read",
      status: "pending",
      payload: { url: "https://example.com/" },
      isPayloadHidden: false,
    });
  });

  test("hides what looks like a secret, and what the settings name", async () => {
    const secretId = await aJob({ url: "https://example.com/", password: "hunter2" });
    expect((await call(`GET /jobs/${secretId}`)).body).toMatchObject({
      payload: { url: "https://example.com/", password: "[redacted]" },
      hiddenInPayload: ["/password"],
    });
    const id = await factory.aPendingJob({ payload: { card: { number: "4111", name: "Ada" } } });
    expect((await call(`GET /jobs/${id}`)).body.payload).toEqual({
      card: { number: "[redacted]", name: "Ada" },
    });
  });

  test("shows no data to callers without the right jobs.payload", async () => {
    const worker = await factory.aWorker({ serves: ["orders/read"] });
    const { id, claim_token } = await factory.aClaimedJob({ by: worker, payload: { customer: 7 } });
    await db.call("complete_job", {
      p_id: id,
      p_claim_token: claim_token,
      p_output: { found: "x" },
      p_now: noon,
    });
    const { body } = await call(`GET /jobs/${id}`, { token: tokens.viewer });
    expect(jobSchema.parse(body)).toMatchObject({
      stage: "file",
      payload: null,
      outputs: {},
      result: null,
      isPayloadHidden: true,
    });
  });

  test("answers 304 while nothing that is shown has changed", async () => {
    const id = await aJob();
    const first = await call(`GET /jobs/${id}`);
    const etag = first.headers.get("etag") ?? "";
    const again = await call(`GET /jobs/${id}`, { headers: { "if-none-match": etag } });
    expect(again).toMatchObject({ status: 304, body: "" });
    expect(again.headers.get("etag")).toBe(etag);
    await call(`POST /jobs/${id}/cancel`);
    expect((await call(`GET /jobs/${id}`, { headers: { "if-none-match": etag } })).status).toBe(200);
    // What another caller is shown has a tag of its own.
    const asViewer = await call(`GET /jobs/${await aJob()}`, { token: tokens.viewer });
    expect(asViewer.headers.get("etag")).not.toBe(etag);
  });

  test.each(["0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f", "nothing", "%00"])(
    "tells that there is no job %s",
    async (id) => {
      const { status, headers, body } = await call(`GET /jobs/${id}`);
      expect(status).toBe(404);
      expect(headers.get("content-type")).toBe("application/problem+json");
      expect(problemSchema.parse(body)).toMatchObject({ code: "job.not_found", status: 404 });
      expect(body.requestId).toBe(headers.get("x-request-id"));
    },
  );
});

test("a payload as it was shown is refused where its hidden values were, and adds nothing", async () => {
  const payload = { url: "https://me:p@ss@example.com/", password: "hunter2" };
  const shown = (await call(`GET /jobs/${await aJob(payload)}`)).body.payload;
  const one = await call("POST /jobs", { body: { pipeline: "sites", payload: shown } });
  expect(one).toMatchObject({
    status: 422,
    body: {
      code: "payload.invalid",
      errors: [{ pointer: "/payload/url" }, { pointer: "/payload/password" }],
    },
  });
  expect(one.body.detail).toContain("send the value itself, or leave it out");
  const jobs = [{ payload: { url: "https://example.com/[redacted]" } }, { payload: shown }];
  const many = await call("POST /jobs", { body: { pipeline: "sites", jobs } });
  expect(many.body).toMatchObject({
    errors: [{ pointer: "/jobs/1/payload/url" }, { pointer: "/jobs/1/payload/password" }],
  });
  const [row] = await db.query<{ jobs: number }>("select count(*)::int as jobs from lockstep.jobs");
  expect(row).toEqual({ jobs: 1 });
});

test("GET /jobs/{id}/explain says why a job is not running", async () => {
  const { status, body } = await call<{ data: { reason: string }[] }>(`GET /jobs/${await aJob()}/explain`);
  expect(status).toBe(200);
  expect(body.data.map(({ reason }) => reason)).toContain("no_worker");
  expect((await call(`GET /jobs/0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f/explain`)).status).toBe(404);
});

test("GET /jobs/{id}/effects tells of the ledger", async () => {
  expect(await call(`GET /jobs/${await aJob()}/effects`)).toMatchObject({ status: 200, body: { data: [] } });
});

describe("cancel", () => {
  test("cancels a waiting job", async () => {
    const id = await aJob();
    expect(await call(`POST /jobs/${id}/cancel`)).toMatchObject({
      status: 200,
      body: { id, answer: "cancelled" },
    });
    expect((await call(`GET /jobs/${id}`)).body.status).toBe("cancelled");
  });

  test("asks a processing one to stop", async () => {
    const worker = await factory.aWorker({ serves: ["orders/read"] });
    const { id } = await factory.aClaimedJob({ by: worker });
    expect((await call(`POST /jobs/${id}/cancel`)).body).toEqual({ id, answer: "cancel_requested" });
  });

  test("is refused for a finished job, and for none", async () => {
    const id = await aJob();
    await call(`POST /jobs/${id}/cancel`);
    expect(await call(`POST /jobs/${id}/cancel`)).toMatchObject({
      status: 409,
      body: { code: "job.finished" },
    });
    expect((await call("POST /jobs/0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f/cancel")).body.code).toBe(
      "job.not_found",
    );
  });
});

describe("retry", () => {
  test("runs a cancelled job again, from an earlier stage too", async () => {
    const id = await aJob();
    await call(`POST /jobs/${id}/cancel`);
    expect(await call(`POST /jobs/${id}/retry`)).toMatchObject({
      status: 200,
      body: { id, answer: "applied" },
    });
    expect((await call(`GET /jobs/${id}`)).body.status).toBe("pending");
    await call(`POST /jobs/${id}/cancel`);
    expect((await call(`POST /jobs/${id}/retry`, { body: { fromStage: "read" } })).status).toBe(200);
  });

  test("is refused for a live job, for a later stage, and beside a twin", async () => {
    const id = await aJob();
    expect((await call(`POST /jobs/${id}/retry`)).body).toMatchObject({
      code: "job.processing",
      detail: `Only failed and cancelled jobs can be retried; job ${id} is pending.`,
      status: 409,
    });
    await call(`POST /jobs/${id}/cancel`);
    expect((await call(`POST /jobs/${id}/retry`, { body: { fromStage: "tell" } })).body).toMatchObject({
      code: "stage.unknown",
      status: 422,
    });
    const body = { pipeline: "orders", payload: {}, dedupKey: "k" };
    const first = await call("POST /jobs", { body });
    await call(`POST /jobs/${first.body.id}/cancel`);
    const second = await call("POST /jobs", { body });
    const refused = await call(`POST /jobs/${first.body.id}/retry`);
    expect(refused.body).toMatchObject({ code: "job.conflict", status: 409 });
    expect(refused.body.detail).toContain(second.body.id);
  });

  test("refuses a body it does not know", async () => {
    const { body } = await call(`POST /jobs/${await aJob()}/retry`, { body: { fromstage: "read" } });
    expect(body).toMatchObject({ code: "input.invalid", status: 422 });
  });
});

describe("fork", () => {
  test("runs a finished job again as a new one, which says what it was forked from", async () => {
    const id = await aJob();
    expect((await call(`POST /jobs/${id}/fork`)).body).toMatchObject({ code: "job.processing", status: 409 });
    await call(`POST /jobs/${id}/cancel`);
    const forked = await call<{ id: string }>(`POST /jobs/${id}/fork`, { body: { fromStage: "read" } });
    expect(forked).toMatchObject({ status: 201, body: { forkedFrom: id } });
    expect((await call(`GET /jobs/${forked.body.id}`)).body).toMatchObject({
      ...{ status: "pending", stage: "read", forkedFrom: id, payload: { url: "https://example.com/" } },
    });
    expect((await call(`POST /jobs/${id}/fork`, { body: { fromStage: "tell" } })).body).toMatchObject({
      code: "stage.unknown",
    });
    const actions = await db.query(
      "select action, target, detail from lockstep.recorded_actions order by id",
    );
    expect(actions.at(-1)).toMatchObject({
      ...{ action: "jobs.fork", target: `jobs/${id}`, detail: { forkId: forked.body.id } },
    });
  });

  test("sent again under its key is one job, and needs the right to retry", async () => {
    const id = await aJob();
    await call(`POST /jobs/${id}/cancel`);
    const keyed = { headers: { "Idempotency-Key": "fork-1" } };
    const first = await call(`POST /jobs/${id}/fork`, keyed);
    expect((await call(`POST /jobs/${id}/fork`, keyed)).body).toEqual(first.body);
    expect((await call(`POST /jobs/${id}/fork`, { token: tokens.viewer })).status).toBe(403);
    expect(await db.query("select from lockstep.forks")).toHaveLength(1);
  });
});

describe("GET /jobs/{id}/branches", () => {
  test("lists the branches of a job, which name their parent", async () => {
    await factory.aPipeline("books", ["ask", "tell"]);
    const worker = await factory.aWorker({ serves: ["books/ask"] });
    const { id, claim_token } = await factory.aClaimedJob({
      pipeline: "books",
      by: worker,
      stage: "books/ask",
    });
    expect((await call(`GET /jobs/${id}/branches`)).body).toEqual({ data: [] });
    await db.value("fan_out_job", {
      ...{ p_id: id, p_claim_token: claim_token, p_returns: "branches", p_now: noon },
      p_children: [{ pipeline: "orders", branch: "one", onFailure: "ignore" }],
    });
    const { body } = await call(`GET /jobs/${id}/branches`);
    const [branch] = branchesSchema.parse(body).data;
    expect(branch).toMatchObject({
      ...{ stage: "ask", branch: "one", pipeline: "orders", status: "pending", onFailure: "ignore" },
    });
    expect((await call(`GET /jobs/${branch?.jobId}`)).body).toMatchObject({ parentId: id, branch: "one" });
    expect((await call(`GET /jobs/${id}`)).body).toMatchObject({ attempts: [{ outcome: "branched" }] });
    const unknown = "0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f";
    expect((await call(`GET /jobs/${unknown}/branches`)).body.code).toBe("job.not_found");
  });
});
