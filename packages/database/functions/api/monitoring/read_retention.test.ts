import { JobFactory, runRetention, testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const at = (date: string) => new Date(`${date}T12:00:00Z`);
const retention = (date: string) => db.call("read_retention", { p_now: at(date) });

test("retention that never ran keeps what is there since the first table", async () => {
  expect(await retention("2040-01-01")).toMatchObject([
    { kept: "completed_jobs", since: expect.any(Date), estimated_rows: "0", held_tables: 0, ran_ms: null },
    { kept: "unsuccessful_jobs", ran_ms: null },
    { kept: "events", ran_ms: null },
    { kept: "stream_chunks", since: expect.any(Date), estimated_rows: "0", held_tables: 0, ran_ms: null },
  ]);
});

test("what is kept moves on as days are dropped, each kind by its own time", async () => {
  const prune = (date: string) => runRetention(db, { p_now: at(date) });
  await prune("2040-01-01");
  await prune("2040-01-10");
  const [completed, unsuccessful, events, streams] = await retention("2040-01-11");
  expect(completed).toMatchObject({ since: new Date("2040-01-03T00:00:00Z"), age_ms: 8.5 * 86_400_000 });
  expect(unsuccessful).toMatchObject({ since: new Date("2040-01-01T00:00:00Z"), ran_ms: 86_400_000 });
  expect(events).toMatchObject({ since: new Date("2040-01-07T00:00:00Z") });
  expect(streams).toMatchObject({ since: new Date("2040-01-07T00:00:00Z") });
});

test("rows are those that the statistics know, of all days and of those without a table", async () => {
  await jobs.aPipeline("orders", ["read"]);
  for (const date of ["2040-01-12", "2040-01-13", "2039-06-01"]) {
    await jobs.aFailedJob({ by: await jobs.aWorker({ at: at(date) }), at: at(date) });
  }
  await db.query("analyze lockstep.finished_jobs");
  const rows = async () => (await retention("2040-01-13")).map(({ estimated_rows }) => estimated_rows);
  expect(await rows()).toEqual(["0", "3", "0", "0"]);
});
