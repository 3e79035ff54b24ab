import { JobFactory, noon, testDatabase } from "@lockstep/test-support";
import { beforeAll, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeAll(async () => {
  await jobs.aPipeline("orders", ["read", "write"]);
  await jobs.aPipeline("letters", ["send"]);
  const worker = await jobs.aWorker({ leaseSeconds: 600 });
  for (let count = 0; count < 3; count++) await jobs.aFailedJob({ by: worker, owner: "ada", at: noon });
  for (let count = 0; count < 4; count++) await jobs.aPendingJob({ tags: ["a"] });
  await jobs.aPendingJob({ pipeline: "letters", payload: { copies: 2 } });
});

const count = async (filter: object, args: object = {}) =>
  (await db.call("count_jobs", { p_filter: filter, ...args }))[0];

test.each([
  [{}, "8"],
  [{ statuses: ["failed"] }, "3"],
  [{ statuses: ["failed"], pipeline: "letters" }, "0"],
  [{ statuses: ["pending"] }, "5"],
  [{ statuses: ["pending", "processing"], pipeline: "orders", stage: "read" }, "4"],
  [{ statuses: ["pending"], pipeline: "unknown" }, "0"],
  [{ pipeline: "unknown" }, "0"],
  [{ owner: "ada" }, "3"],
  [{ tag: "a" }, "4"],
  [{ payload: { copies: 2 } }, "1"],
])("the jobs of %j are counted", async (filter, counted) => {
  expect(await count(filter)).toEqual({ jobs: counted, exact: true, capped: false });
});

test("a count ends at its cap", async () => {
  expect(await count({}, { p_cap: 5 })).toEqual({ jobs: "5", exact: false, capped: true });
  expect(await count({ tag: "a" }, { p_cap: 4 })).toEqual({ jobs: "4", exact: false, capped: true });
});

test("live jobs are counted beyond the cap, by the counters", async () => {
  expect(await count({ statuses: ["pending"] }, { p_cap: 2 })).toEqual({
    jobs: "5",
    exact: true,
    capped: false,
  });
});

test("a count that may not look any further says that there may be more", async () => {
  expect(await count({ owner: "ada" }, { p_look_at: 2 })).toEqual({ jobs: "2", exact: false, capped: false });
  expect(await count({ tag: "none" }, { p_look_at: 2 })).toEqual({ jobs: "0", exact: false, capped: false });
});

test.each([
  [{ stage: "sned" }, "LS003"],
  [{ statuses: ["pending"], stage: "sned" }, "LS003"],
  [{ state: "x" }, "LS001"],
  [{ statuses: ["stuck"] }, "22P02"],
])("a count of %j is refused", async (filter, code) => {
  await expect(count(filter)).rejects.toMatchObject({ code });
});
