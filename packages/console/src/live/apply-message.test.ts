import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import type { JobPage, JobSummary } from "../api/contract.ts";
import { jobKeys } from "../api/jobs-api.ts";
import { statsQuery } from "../api/pipelines-api.ts";
import { applyMessage } from "./apply-message.ts";

const job = (id: string): JobSummary => ({
  id,
  pipeline: "site",
  stage: "read",
  status: "processing",
  priority: 10,
  attempt: 1,
  losses: 0,
  error: null,
  progress: null,
  owner: null,
  dedupKey: null,
  tags: [],
  addedAt: "2026-01-31T12:00:00.000Z",
  scheduledFor: null,
  claimedAt: null,
  finishedAt: null,
  cancelRequestedAt: null,
  workerId: null,
  groupKey: null,
  batchId: null,
  fingerprint: null,
  payloadPreview: null,
});

const end = { next: null, previous: null, hasMore: false, isCutShort: false, scannedTo: null };

test("a row changes in its place, and the others stay what they were", () => {
  const client = new QueryClient();
  const key = jobKeys.list({ filter: "" });
  const [one, two] = [job("a"), job("b")];
  client.setQueryData<JobPage>(key, {
    data: [one, two],
    page: end,
  });

  const row = { id: "b", status: "completed", stage: "ask", progress: 40, progressNote: "half", attempt: 1 };
  applyMessage(client, { event: "rows", data: [row, { ...row, id: "elsewhere" }] });

  const page = client.getQueryData<JobPage>(key);
  expect(page?.data.map(({ id, status, stage }) => [id, status, stage])).toEqual([
    ["a", "processing", "read"],
    ["b", "completed", "ask"],
  ]);
  expect(page?.data[1]?.addedAt).toBe(two.addedAt);
  expect(page?.data[1]?.progress).toEqual({ percent: 40, note: "half", data: null });
});

test("a job that another worker has taken meanwhile is read again", () => {
  const client = new QueryClient();
  const held = { ...job("a"), claimedAt: "2026-01-31T12:00:01.000Z" };
  client.setQueryData(jobKeys.job("a"), held);
  const isStale = () => client.getQueryState(jobKeys.job("a"))?.isInvalidated;
  applyMessage(client, { event: "rows", data: [held] });
  expect(isStale()).toBe(false);
  applyMessage(client, {
    event: "rows",
    data: [{ ...held, claimedAt: "2026-01-31T12:00:09.000Z", losses: 1 }],
  });
  expect(isStale()).toBe(true);
});

test("a list that shows none of the rows is not touched", () => {
  const client = new QueryClient();
  const key = jobKeys.list({ filter: "" });
  const before: JobPage = { data: [job("a")], page: end };
  client.setQueryData(key, before);
  applyMessage(client, {
    event: "rows",
    data: [{ id: "b", status: "failed", stage: "x", progress: null, attempt: 1 }],
  });
  expect(client.getQueryData(key)).toBe(before);
});

test("numbers are told whole", () => {
  const client = new QueryClient();
  const stats = { data: [{ jobs: 3 }], waits: [] };
  applyMessage(client, { event: "stats", data: stats });
  expect(client.getQueryData(statsQuery.queryKey)).toEqual(stats);
});
