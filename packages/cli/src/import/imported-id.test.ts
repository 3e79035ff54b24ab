import { expect, test } from "vitest";
import { importedId } from "./imported-id.ts";
import type { SourceJob } from "./source.ts";

const job: SourceJob = {
  id: "1",
  identity: "1 2027-01-31T09:00:00.000Z",
  createdAt: new Date("2027-01-31T09:00:00.000Z"),
  payload: null,
  priority: 10,
  scheduledFor: null,
  dedupKey: null,
  groupKey: null,
  tags: [],
  problem: null,
};

test("a job gets the same id each time, with the time at which it was made", () => {
  const id = importedId("pg-boss", "email", job);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(importedId("pg-boss", "email", { ...job })).toBe(id);
  expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(job.createdAt.getTime());
});

test("another source, queue or job gets another id", () => {
  const ids = [
    importedId("pg-boss", "email", job),
    importedId("graphile-worker", "email", job),
    importedId("pg-boss", "mail", job),
    importedId("pg-boss", "email", { ...job, identity: "1 2027-01-31T09:00:00.001Z" }),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});
