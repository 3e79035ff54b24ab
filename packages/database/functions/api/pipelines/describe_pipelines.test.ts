import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(() => db.reset());

const schema = { type: "object", required: ["to"] };

test("tells every pipeline by name with its settings, and its stages in order with theirs", async () => {
  await jobs.aPipeline("orders", ["read"]);
  await db.call("define_pipeline", {
    p_name: "letters",
    p_stages: [
      { name: "write", maxAttempts: 7, timeoutMs: null },
      { name: "send", rate: { jobs: 5, perMs: 1_000 }, breaker: { pauseMs: 9_000 } },
    ],
    p_options: {
      version: 3,
      maxPending: 9,
      ageingMs: 60_000,
      events: true,
      payloadSchema: schema,
    },
  });
  await db.call("pause_stage", { p_pipeline: "letters", p_stage: "send" });

  const [letters, orders] = await db.call<Record<string, unknown> & { stages: unknown[] }>(
    "describe_pipelines",
  );
  expect(orders).toMatchObject({ name: "orders", version: 1, max_pending: null, payload_schema: null });
  expect(letters).toMatchObject({
    name: "letters",
    version: 3,
    max_pending: 9,
    ageing_ms: "60000",
    events: true,
    payload_schema: schema,
  });
  expect(letters?.stages).toEqual([
    {
      name: "write",
      maxAttempts: 7,
      maxLosses: 3,
      timeoutMs: null,
      retry: { kind: "exponential", baseMs: 120_000, capMs: 3_600_000, jitter: 0.5 },
      pausedAt: null,
    },
    expect.objectContaining({
      name: "send",
      rate: { jobs: 5, perMs: 1_000 },
      breaker: expect.objectContaining({ pauseMs: 9_000 }),
      pausedAt: expect.stringContaining("T"),
    }),
  ]);
});

test("leaves out a stage that is no longer part of its pipeline, and a schema that was taken back", async () => {
  const define = (stages: string[], options: object) =>
    db.call("define_pipeline", {
      p_name: "letters",
      p_stages: stages.map((name) => ({ name })),
      p_options: options,
    });
  await define(["write", "send"], { payloadSchema: schema });
  await define(["write"], { payloadSchema: null });
  expect(await db.call("describe_pipelines")).toMatchObject([
    { name: "letters", payload_schema: null, stages: [{ name: "write" }] },
  ]);
});
