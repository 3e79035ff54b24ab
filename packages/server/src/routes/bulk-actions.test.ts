import { apiCaller, JobFactory, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bulkActionSchema } from "../contract/bulk-actions.ts";
import { errorKindsSchema } from "../contract/errors.ts";
import { operatorAndViewer, served, tokens } from "../testing/served.ts";

const db = testDatabase();
const factory = new JobFactory(db);
const canceller = "a-token-of-one-who-cancels-only";
const { server, stop } = served(db.url, {
  access: {
    tokens: [...operatorAndViewer, { user: "carl", rights: ["jobs.read", "jobs.cancel"], token: canceller }],
  },
  readsPerSecond: null,
});
const send = apiCaller(server);
const call = <Body = Record<string, unknown>>(line: string, request: Parameters<typeof send>[1] = {}) =>
  send<Body>(line, { token: tokens.operator, ...request });

interface Action {
  id: string;
  status: string;
  done: number;
  filter: object;
}

beforeAll(async () => {
  await factory.aPipeline("orders", ["read", "file"]);
});
afterAll(stop);

/** When the runner of the server has done it. */
async function ended(id: string): Promise<Action> {
  for (;;) {
    const { body } = await call<Action>(`GET /bulk-actions/${id}`);
    if (body.status !== "running") return body;
  }
}

test("a bulk action is begun, done step by step, and told", async () => {
  for (let job = 0; job < 120; job += 1) await factory.aPendingJob({ tags: ["late"] });
  const kept = await factory.aPendingJob();
  const body = { action: "cancel", filter: "tag:late" };
  const preview = await call("POST /bulk-actions", { body: { ...body, dryRun: true } });
  expect(preview).toMatchObject({ status: 200, body: { matched: { value: 120, exact: true } } });
  const started = await call<Action>("POST /bulk-actions", { body });
  expect(started.status).toBe(202);
  bulkActionSchema.parse(started.body);
  expect(started.headers.get("location")).toBe(`/api/v1/bulk-actions/${started.body.id}`);
  expect(await ended(started.body.id)).toMatchObject({ status: "done", done: 120, failed: 0, user: "otto" });
  expect(await factory.read(kept)).toMatchObject({ status: "pending" });
  expect(await call(`POST /bulk-actions/${started.body.id}/abort`)).toMatchObject({
    status: 409,
    body: { code: "bulk_action.ended" },
  });
  const { body: audit } = await call<{ data: object[] }>("GET /audit?limit=1");
  expect(audit.data).toMatchObject([{ action: "bulk.start", target: `bulk-actions/${started.body.id}` }]);
});

test("the same request under one key begins one", async () => {
  const headers = { "idempotency-key": "bulk-1" };
  const body = { action: "retry", filter: "pipeline:orders tag:never" };
  const first = await call<Action>("POST /bulk-actions", { body, headers });
  const again = await call<Action>("POST /bulk-actions", { body, headers });
  expect(again.body.id).toBe(first.body.id);
});

test("they are listed page by page, and filters by payload shown to those who may see it", async () => {
  const body = { action: "cancel", filter: "payload.customer:7" };
  const { body: started } = await call<Action>("POST /bulk-actions", { body });
  interface Page {
    data: Action[];
    page: { next: string | null };
  }
  const first = await call<Page>("GET /bulk-actions?limit=1");
  expect(first.body.data.map(({ id }) => id)).toEqual([started.id]);
  expect(JSON.stringify(first.body)).toContain("customer");
  const second = await call<Page>(`GET /bulk-actions?limit=1&cursor=${first.body.page.next}`);
  expect(second.body.data[0]?.id).not.toBe(started.id);
  const asViewer = await call("GET /bulk-actions", { token: tokens.viewer });
  expect(JSON.stringify(asViewer.body)).not.toContain("customer");
});

describe("refused:", () => {
  const cases: [string, unknown, number, string][] = [
    ["one without filter and ids", { action: "cancel" }, 422, "input.invalid"],
    ["an unknown action", { action: "delete", filter: "tag:x" }, 422, "input.invalid"],
    ["a filter that cannot be read", { action: "cancel", filter: "tags:x" }, 422, "filter.invalid"],
    ["a stage for a cancel", { action: "cancel", filter: "tag:x", fromStage: "read" }, 422, "input.invalid"],
    ["ids that are none", { action: "cancel", ids: ["x"] }, 422, "input.invalid"],
  ];
  test.each(cases)("%s", async (_name, body, status, code) => {
    const answer = await call("POST /bulk-actions", { body });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test("one for which the caller has no right", async () => {
    const retry = { action: "retry", filter: "tag:x" };
    for (const token of [tokens.viewer, canceller]) {
      const answer = await call("POST /bulk-actions", { token, body: retry });
      expect(answer).toMatchObject({ status: 403, body: { code: "rights.missing" } });
    }
    const cancel = { action: "cancel", filter: "tag:x" };
    expect((await call("POST /bulk-actions", { token: canceller, body: cancel })).status).toBe(202);
    const searched = { action: "cancel", filter: "payload.x:1" };
    expect((await call("POST /bulk-actions", { token: canceller, body: searched })).status).toBe(403);
  });

  test("one that is not there", async () => {
    for (const line of [
      "GET /bulk-actions/x",
      "POST /bulk-actions/0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f/abort",
    ]) {
      expect((await call(line)).body).toMatchObject({ status: 404, code: "bulk_action.not_found" });
    }
  });
});

test("errors are told by kind, and lead to their jobs", async () => {
  await factory.aPipeline("bills", ["read"]);
  const worker = await factory.aWorker({ serves: ["bills/read"] });
  const { id } = await factory.aFailedJob({ by: worker, pipeline: "bills", stage: "bills/read" });
  const { status, body } = await call("GET /errors?pipeline=bills");
  expect(status).toBe(200);
  const { data } = errorKindsSchema.parse(body);
  expect(data).toMatchObject([
    { pipeline: "bills", stage: "read", message: "broken", jobs: 1, sampleId: id },
  ]);
  const jobs = await call<{ data: { id: string }[] }>(`GET /jobs?filter=error:${data[0]?.fingerprint}`);
  expect(jobs.body.data.map((job) => job.id)).toEqual([id]);
  expect((await call("GET /errors?since=soon")).status).toBe(422);
});
