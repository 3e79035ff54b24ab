import { apiCaller, JobFactory, localPeer, testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline } from "lockstep";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { addedJobsSchema, addedSchema } from "../contract/jobs.ts";
import { served } from "../testing/served.ts";

const db = testDatabase();
const factory = new JobFactory(db);
const sites = definePipeline("sites", { payload: z.object({ url: z.url() }) }).stage(
  "read",
  async () => "read",
);
const { server, stop } = served(db.url, {
  pipelines: [sites],
  mountPath: "/ops",
  addsPerSecond: null,
});
const call = apiCaller(server);
const url = "https://example.com/";

beforeEach(async () => {
  await db.reset();
  // The engine tells the database of its pipelines once.
  await factory.aPipeline("sites", ["read"]);
});
afterAll(stop);

async function jobCount(): Promise<number> {
  const [row] = await db.query<{ jobs: number }>("select count(*)::int as jobs from lockstep.jobs");
  return row?.jobs ?? 0;
}

test("a job is added, and told where it is", async () => {
  const { status, headers, body } = await call("POST /jobs", {
    body: {
      pipeline: "sites",
      payload: { url },
      priority: 3,
      owner: "ada",
      tags: ["a", "b"],
      groupKey: "g",
      scheduledFor: "2031-01-01T00:00:00+01:00",
    },
  });
  expect(status).toBe(201);
  const { id } = addedSchema.parse(body);
  expect(body).toEqual({ id, created: true, status: "scheduled" });
  expect(headers.get("location")).toBe(`/ops/api/v1/jobs/${id}`);
  expect(await factory.read(id)).toMatchObject({
    priority: 3,
    owner: "ada",
    tags: ["a", "b"],
    scheduled_for: new Date("2030-12-31T23:00:00Z"),
  });
});

test("a twin is told, and not added", async () => {
  const body = { pipeline: "sites", payload: { url }, dedupKey: url };
  const first = await call("POST /jobs", { body });
  const second = await call("POST /jobs", { body });
  expect(second).toMatchObject({
    status: 200,
    body: { id: first.body.id, created: false, status: "pending" },
  });
  expect(second.headers.get("location")).toBe(first.headers.get("location"));
  expect(await jobCount()).toBe(1);
});

test("many jobs are added together, or none", async () => {
  const jobs = [{ payload: { url } }, { payload: { url }, priority: 1 }];
  const { status, body } = await call("POST /jobs", { body: { pipeline: "sites", jobs } });
  expect(status).toBe(201);
  expect(addedJobsSchema.parse(body).jobs).toHaveLength(2);
  const refused = await call("POST /jobs", {
    body: { pipeline: "sites", jobs: [{ payload: { url } }, { payload: { url: "nowhere" } }] },
  });
  expect(refused).toMatchObject({ status: 422, body: { code: "payload.invalid" } });
  expect(await jobCount()).toBe(2);
});

describe("refused, with nothing changed:", () => {
  const large = "x".repeat(300_000);
  const cases: [string, unknown, number, string, string?][] = [
    [
      "a payload that its schema refuses",
      { pipeline: "sites", payload: { url: "x" } },
      422,
      "payload.invalid",
      "/payload/url",
    ],
    [
      "a payload that is too large",
      { pipeline: "sites", payload: { url: `${url}${large}` } },
      413,
      "payload.too_large",
    ],
    ["an unknown pipeline", { pipeline: "site", payload: {} }, 422, "pipeline.unknown", "/pipeline"],
    ["a name that no pipeline can have", { pipeline: "a/b", payload: {} }, 422, "pipeline.unknown"],
    [
      "a priority of 21",
      { pipeline: "sites", payload: { url }, priority: 21 },
      422,
      "input.invalid",
      "/priority",
    ],
    ["a misspelt option", { pipeline: "sites", payload: { url }, prio: 1 }, 422, "input.invalid"],
    [
      "a time without a zone",
      { pipeline: "sites", payload: { url }, scheduledFor: "2031-01-01T00:00:00" },
      422,
      "input.invalid",
      "/scheduledFor",
    ],
    [
      "options that contradict",
      { pipeline: "sites", payload: { url }, dedup: { forMs: 1 } },
      422,
      "input.invalid",
      "/dedup",
    ],
    [
      "too many at once",
      { pipeline: "sites", jobs: Array.from({ length: 1_001 }, () => ({ payload: { url } })) },
      422,
      "input.invalid",
      "/jobs",
    ],
    [
      "a wrong item among many",
      { pipeline: "sites", jobs: [{ payload: { url } }, { payload: { url }, tags: "a" }] },
      422,
      "input.invalid",
      "/jobs/1/tags",
    ],
    ["no body", undefined, 422, "input.invalid"],
    ["half a body", '{"pipeline": "sites', 400, "body.malformed"],
    ["a body of another kind", "[1]", 422, "input.invalid"],
  ];
  test.each(cases)("%s", async (_name, body, status, code, pointer) => {
    const answer = await call<{ code: string; errors?: { pointer: string }[] }>("POST /jobs", { body });
    expect(answer.body).toMatchObject({ status, code });
    expect(answer.status).toBe(status);
    if (pointer !== undefined) expect(answer.body.errors?.map((error) => error.pointer)).toContain(pointer);
    expect(await jobCount()).toBe(0);
  });

  test.each([
    ["arrays", (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`],
    ["objects", (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`],
  ])("%s in each other, as deep as the body has room for", async (_what, nested) => {
    for (const depth of [65, 1_000, 100_000]) {
      const one = await call("POST /jobs", { body: `{"pipeline":"sites","payload":${nested(depth)}}` });
      expect(one).toMatchObject({ status: 422, body: { code: "payload.invalid" } });
      const body = `{"pipeline":"sites","jobs":[{"payload":{"url":"${url}"}},{"payload":${nested(depth)}}]}`;
      const many = await call<{ errors: { pointer: string }[] }>("POST /jobs", { body });
      expect(many).toMatchObject({ status: 422, body: { code: "payload.invalid" } });
      if (depth > 65) expect(many.body.errors[0]?.pointer).toBe("/jobs/1/payload");
    }
    expect(await jobCount()).toBe(0);
  });

  test("a body of another type", async () => {
    const headers = { "content-type": "text/plain" };
    const answer = await call("POST /jobs", { body: '{"pipeline":"sites"}', headers });
    expect(answer).toMatchObject({ status: 415, body: { code: "media_type.unsupported" } });
  });

  test("a body that never seems to end", async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const response = await server.fetch(
      new Request("http://localhost/api/v1/jobs", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        duplex: "half",
      }),
      localPeer,
    );
    expect(await response.json()).toMatchObject({ status: 413, code: "body.too_large" });
    expect(sent).toBeLessThan(2 * 1_048_576);
  });
});

describe("a pipeline of another process", () => {
  beforeEach(async () => {
    await factory.aPipeline("elsewhere", ["read"], {
      payloadSchema: { type: "object", properties: { page: { type: "integer" } }, required: ["page"] },
    });
  });

  test("takes what its schema takes", async () => {
    expect((await call("POST /jobs", { body: { pipeline: "elsewhere", payload: { page: 1 } } })).status).toBe(
      201,
    );
  });

  test("refuses what its schema refuses, one or many", async () => {
    const one = await call("POST /jobs", { body: { pipeline: "elsewhere", payload: { page: "x" } } });
    expect(one).toMatchObject({
      status: 422,
      body: { code: "payload.invalid", errors: [{ pointer: "/payload/page" }] },
    });
    const jobs = [{ payload: { page: 1 } }, { payload: {} }];
    const many = await call("POST /jobs", { body: { pipeline: "elsewhere", jobs } });
    expect(many.body).toMatchObject({ errors: [{ pointer: "/jobs/1/payload/page" }] });
    expect(await jobCount()).toBe(0);
  });
});

test("an answer can wait until the job is finished", async () => {
  const started = createEngine({ databaseUrl: db.url, pipelines: [sites], logger: null });
  await started.start();
  try {
    const { status, headers, body } = await call<{ job: unknown }>("POST /jobs", {
      body: { pipeline: "sites", payload: { url } },
      headers: { prefer: "respond-async, wait=20" },
    });
    expect(status).toBe(201);
    expect(headers.get("preference-applied")).toBe("wait=20");
    expect(body).toMatchObject({ status: "completed", job: { result: "read", status: "completed" } });
  } finally {
    await started.stop();
  }
});

test("an answer that waits in vain tells how the job is then", async () => {
  const { status, body } = await call("POST /jobs", {
    body: { pipeline: "sites", payload: { url } },
    headers: { prefer: "wait=0" },
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({ status: "pending" });
});
