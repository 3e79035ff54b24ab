import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

const aServer = () => jobs.aWorker({ name: "mill", serves: ["orders/read"] });
const explain = (id: string, at = noon) =>
  db.call<{ reason: string; explanation: string; detail: Record<string, unknown> }>("explain_job", {
    p_id: id,
    p_now: at,
  });

test("a job behind others is told how many, and how many workers serve its stage", async () => {
  await aServer();
  await jobs.aPendingJob();
  await jobs.aPendingJob({ priority: 1 });
  const id = await jobs.aPendingJob();
  await jobs.aPendingJob();
  expect(await explain(id)).toEqual([
    {
      reason: "waiting",
      explanation:
        "Jobs ahead of it in stage read: 2. Live workers of the stage: 1. " +
        "When it will start is not known: no attempt has ended there in the last ten minutes.",
      detail: { ahead: 2, isMoreAhead: false, workers: 1, endedPerMinute: null, startsAt: null },
    },
  ]);
});

test("a job that is due but not yet pending is behind those of its priority", async () => {
  await aServer();
  const id = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 5) });
  await jobs.aPendingJob();
  await jobs.aPendingJob({ priority: 11 });
  expect(await explain(id, secondsAfter(noon, 6))).toMatchObject([
    { reason: "waiting", detail: { ahead: 1 } },
  ]);
});

test("a job of a paused stage is told so", async () => {
  await aServer();
  const id = await jobs.aPendingJob();
  await db.value("pause_stage", { p_pipeline: "orders", p_stage: "read", p_now: noon });
  expect((await explain(id))[0]).toEqual({
    reason: "paused",
    explanation:
      "Stage read has been paused since 2026-03-02 12:00:00 UTC. Its jobs wait until somebody resumes it.",
    detail: { pausedAt: "2026-03-02T12:00:00+00:00" },
  });
});

test("a job whose stage no live worker serves is told so", async () => {
  await aServer();
  const id = await jobs.aPendingJob();
  expect((await explain(id, secondsAfter(noon, 31)))[0]).toEqual({
    reason: "no_worker",
    explanation: "No live worker serves orders/read; start one that has this pipeline.",
    detail: { workers: 0 },
  });
});

test("a job that is not due is told when it is", async () => {
  const worker = await aServer();
  const scheduled = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 90) });
  expect(await explain(scheduled)).toEqual([
    {
      reason: "not_due",
      explanation: "It waits as scheduled until 2026-03-02 12:01:30 UTC (90 s from now).",
      detail: { dueAt: "2026-03-02T12:01:30+00:00" },
    },
  ]);
  const retrying = await jobs.aClaimedJob({ by: worker });
  await db.value("fail_job", {
    p_id: retrying.id,
    p_claim_token: retrying.claim_token,
    p_error: {},
    p_retry_after: "20 seconds",
    p_now: noon,
  });
  expect(await explain(retrying.id)).toMatchObject([
    { reason: "not_due", explanation: expect.stringMatching(/after a failed attempt .* \(20 s from now\)/) },
  ]);
});

test("a job that runs is told where and since when, and that its cancel was requested", async () => {
  const worker = await aServer();
  const { id } = await jobs.aClaimedJob({ by: worker });
  await db.value("cancel_job", { p_id: id, p_now: secondsAfter(noon, 2) });
  expect(await explain(id, secondsAfter(noon, 5))).toEqual([
    {
      reason: "processing",
      explanation: "It has been running in stage read on worker mill for 5.0 s, attempt 1.",
      detail: { workerId: worker, claimedAt: "2026-03-02T12:00:00+00:00", runningMs: 5_000 },
    },
    {
      reason: "cancel_requested",
      explanation: "It was cancelled 3.0 s ago, and its worker was asked to stop.",
      detail: { requestedAt: "2026-03-02T12:00:02+00:00" },
    },
  ]);
});

test("a job that must run alone is told so", async () => {
  await aServer();
  const id = await jobs.aPendingJob();
  await db.query("update lockstep.jobs set suspect = true, losses = 2");
  expect(await explain(id)).toEqual([
    {
      reason: "runs_alone",
      explanation: "Workers lost while running it: 2. So it runs only on a worker that holds nothing else.",
      detail: { losses: 2 },
    },
  ]);
});

test.each(["failed", "cancelled"])("a job that is %s is told when it ended", async (status) => {
  const worker = await aServer();
  const id = status === "failed" ? (await jobs.aFailedJob({ by: worker })).id : await jobs.aPendingJob();
  if (status === "cancelled") await db.value("cancel_job", { p_id: id, p_now: noon });
  expect(await explain(id)).toEqual([
    {
      reason: status,
      explanation: `It ended at 2026-03-02 12:00:00 UTC as ${status}.`,
      detail: { endedAt: "2026-03-02T12:00:00+00:00" },
    },
  ]);
});

test("a job that does not exist is not found", async () => {
  expect(await explain(randomUUID())).toMatchObject([{ reason: "not_found", detail: {} }]);
});
