import { expect, test } from "vitest";
import { type JobRow, jobOf, summaryOf } from "./job-row.ts";

const at = new Date("2026-03-02T12:00:00Z");

const row: JobRow = {
  id: "0190b0a0-0000-7000-8000-000000000001",
  pipeline: "orders",
  stage: "send",
  status: "processing",
  priority: 5,
  attempt: 2,
  losses: 1,
  progress: 40,
  progress_note: "sending",
  progress_data: { sent: 2 },
  owner: "ada",
  group_key: "north",
  dedup_key: "order 7",
  batch_id: null,
  tags: ["urgent"],
  added_at: at,
  scheduled_for: null,
  claimed_at: at,
  finished_at: null,
  cancel_requested_at: null,
  worker_id: "7d7c7a4e-0000-4000-8000-000000000001",
  error: { name: "Error", message: "oh" },
  fingerprint: null,
  payload: { order: 7 },
  outputs: { read: 1 },
  result: null,
  attempts: [],
  version: "0123456789abcdef",
  payload_bytes: 12,
  forked_from: null,
  parent_id: null,
  branch: null,
  left_out: [],
  wait: null,
};

test("a row becomes a job with our names", () => {
  expect(jobOf(row)).toEqual({
    id: row.id,
    pipeline: "orders",
    stage: "send",
    status: "processing",
    priority: 5,
    attempt: 2,
    losses: 1,
    error: { name: "Error", message: "oh" },
    progress: { percent: 40, note: "sending", data: { sent: 2 } },
    owner: "ada",
    groupKey: "north",
    dedupKey: "order 7",
    batchId: null,
    tags: ["urgent"],
    addedAt: at,
    scheduledFor: null,
    claimedAt: at,
    finishedAt: null,
    cancelRequestedAt: null,
    workerId: row.worker_id,
    fingerprint: null,
    payload: { order: 7 },
    outputs: { read: 1 },
    result: null,
    attempts: [],
    version: "0123456789abcdef",
    payloadBytes: 12,
    forkedFrom: null,
    parentId: null,
    branch: null,
    leftOut: [],
    wait: null,
    waits: [],
  });
});

test("a job that has reported nothing has no progress; 0 % is progress", () => {
  expect(summaryOf({ ...row, progress: null }).progress).toBeNull();
  expect(summaryOf({ ...row, progress: 0, progress_note: null, progress_data: undefined }).progress).toEqual({
    percent: 0,
    note: null,
    data: null,
  });
});

test("attempts have Dates, their log too, and the mark of a retry by a person is none of them", () => {
  const worker = "7d7c7a4e-0000-4000-8000-000000000001";
  const attempts = [
    {
      stage: "read",
      attempt: 1,
      outcome: "failed" as const,
      workerId: worker,
      claimedAt: at.toISOString(),
      endedAt: at.toISOString(),
      error: { name: "Error", message: "oh" },
      log: [{ at: at.toISOString(), level: "info" as const, message: "read", data: 1 }],
    },
    { stage: "read", attempt: 1, outcome: "done" as const, workerId: worker, endedAt: at.toISOString() },
    {
      stage: "send",
      attempt: 1,
      outcome: "processing" as const,
      workerId: worker,
      claimedAt: at.toISOString(),
      endedAt: null,
    },
  ];
  expect(jobOf({ ...row, attempts }).attempts).toEqual([
    {
      stage: "read",
      attempt: 1,
      outcome: "failed",
      workerId: worker,
      claimedAt: at,
      endedAt: at,
      error: { name: "Error", message: "oh" },
      log: [{ at, level: "info", message: "read", data: 1 }],
    },
    { stage: "send", attempt: 1, outcome: "processing", workerId: worker, claimedAt: at, endedAt: null },
  ]);
});
