import { apiCaller, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { errorHistoriesSchema, errorKindsSchema } from "../contract/errors.ts";
import { jobSchema } from "../contract/jobs.ts";
import { historySchema, pipelinesSchema } from "../contract/pipelines.ts";
import { statsSchema } from "../contract/stats.ts";
import { workersSchema } from "../contract/workers.ts";
import { served } from "../testing/served.ts";

const db = testDatabase();
const factory = new JobFactory(db);
const { server, stop } = served(db.url);
const call = apiCaller(server);
afterAll(stop);
beforeAll(async () => {
  const payloadSchema = { type: "object", properties: { page: { type: "integer" } } };
  await factory.aPipeline(
    "orders",
    [{ name: "read", concurrency: 3, rate: { jobs: 10, perMs: 1_000 } }, "file"],
    {
      payloadSchema,
      maxPending: 100,
    },
  );
  const worker = await factory.aWorker({ serves: ["orders/read"], name: "host-1" });
  const payload = { page: 1 };
  await factory.aClaimedJob({ by: worker, at: noon, payload });
  await factory.aFailedJob({ by: worker, at: noon, payload });
  await factory.aPendingJob({ payload });
});

test("pipelines are told with their stages and the schema of their payload", async () => {
  const { status, body } = await call("GET /pipelines");
  expect(status).toBe(200);
  expect(pipelinesSchema.parse(body)).toMatchObject({
    data: [
      {
        name: "orders",
        maxPending: 100,
        payloadSchema: { type: "object" },
        stages: [{ name: "read", concurrency: 3, rate: { jobs: 10, perMs: 1_000 } }, { name: "file" }],
      },
    ],
  });
  expect((await call("GET /pipelines/orders")).body).toMatchObject({ name: "orders" });
  expect((await call("GET /pipelines/other")).body).toMatchObject({
    status: 404,
    code: "pipeline.not_found",
  });
});

test("a pipeline's history is told step by step", async () => {
  const { status, body } = await call(
    "GET /pipelines/orders/history?stage=read&stepMs=3600000&from=2026-01-01T00:00:00Z&to=2026-01-01T04:00:00Z",
  );
  expect(status).toBe(200);
  expect(historySchema.parse(body).data.length).toBeGreaterThanOrEqual(4);
  expect((await call("GET /pipelines/none/history")).body.code).toBe("pipeline.not_found");
  expect((await call("GET /pipelines/orders/history?stepMs=1")).body.code).toBe("input.invalid");
  expect((await call("GET /pipelines/orders/history?from=yesterday")).body.code).toBe("input.invalid");
});

test("what jobs failed with is told by kind, and step by step", async () => {
  const [kind] = errorKindsSchema.parse((await call("GET /errors")).body).data;
  const fingerprint = String(kind?.fingerprint);
  const time = `from=${noon.toISOString()}&to=${secondsAfter(noon, 120).toISOString()}&stepMs=60000`;
  const { status, body } = await call(`GET /errors/history?${time}&fingerprint=${fingerprint}`);
  expect(status).toBe(200);
  expect(errorHistoriesSchema.parse(body)).toEqual({
    data: [{ fingerprint, beginsAt: noon.toISOString(), jobs: [1, 0] }],
  });
  expect((await call(`GET /errors/history?${time}&pipeline=none`)).body).toEqual({ data: [] });
  expect((await call("GET /errors/history?stepMs=1")).body.code).toBe("input.invalid");
  expect((await call("GET /errors/history?from=2026-01-01T00:00:00Z&stepMs=60000")).body.code).toBe(
    "input.invalid",
  );
});

test("what jobs failed with is sorted by how many did, when that is asked for", async () => {
  await factory.aPipeline("bills", ["send"]);
  const at = secondsAfter(noon, -60);
  const by = await factory.aWorker({ serves: ["bills/send"], at });
  for (let count = 0; count < 2; count++)
    await factory.aFailedJob({ by, pipeline: "bills", stage: "bills/send", at });
  const jobsOf = async (query: string) =>
    errorKindsSchema.parse((await call(`GET /errors${query}`)).body).data.map(({ jobs }) => jobs);
  expect(await jobsOf("")).toEqual([1, 2]);
  expect(await jobsOf("?sort=-jobs")).toEqual([2, 1]);
});

test("workers are told with what they hold", async () => {
  const { body } = await call("GET /workers");
  expect(workersSchema.parse(body)).toMatchObject({
    data: expect.arrayContaining([
      expect.objectContaining({ name: "host-1", activeJobs: 1, stages: ["orders/read"] }),
    ]),
  });
});

test("the numbers are told by stage and status, with since when the oldest job waits", async () => {
  const { body } = await call("GET /stats");
  const stats = statsSchema.parse(body);
  expect(stats.waits).toEqual([{ pipeline: "orders", stage: "read", oldestPendingAt: noon.toISOString() }]);
  expect(stats.data).toContainEqual({
    pipeline: "orders",
    stage: "read",
    status: "pending",
    jobs: 1,
    paused: false,
  });
});

test("a job's error is told with its causes, and nobody is told the passwords in them", async () => {
  await factory.aPipeline("letters", ["send"]);
  const worker = await factory.aWorker({ serves: ["letters/send"] });
  const { id, claim_token } = await factory.aClaimedJob({
    by: worker,
    pipeline: "letters",
    stage: "letters/send",
  });
  const error = (url: string) => ({
    name: "Error",
    message: "no answer",
    cause: {
      name: "AggregateError",
      message: `cannot reach ${url}`,
      errors: [{ name: "Error", message: "refused", stack: `Error: refused\n    at ${url}` }],
      moreErrors: 2,
      cause: { name: "TypeError", message: url, hasMoreCauses: true },
    },
  });
  const p_error = error("https://me:hunter2@example.com/a");
  await db.value("fail_job", { p_id: id, p_claim_token: claim_token, p_error, p_retry: false, p_now: noon });
  const { body } = await call(`GET /jobs/${id}`);
  const shown = error("https://me:[redacted]@example.com/a");
  const job = jobSchema.parse(body);
  expect([job.error, job.attempts[0]?.error]).toEqual([shown, shown]);
  expect(JSON.stringify(body)).not.toContain("hunter2");
});
