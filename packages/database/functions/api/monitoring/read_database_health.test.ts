import { JobFactory, testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";

const db = testDatabase();

interface HealthRow {
  at: Date;
  dead_rows: string;
  live_rows: string;
  oldest_transaction_ms: number | null;
}

test("the health of the database tells how long the oldest transaction that holds back vacuum is open", async () => {
  const other = await db.connect();
  onTestFinished(async () => void (await other.query("rollback")));
  await other.query("begin isolation level repeatable read; select 1");
  const inTenMinutes = new Date(Date.now() + 600_000);
  const [row] = await db.call<HealthRow>("read_database_health", { p_now: inTenMinutes });
  expect(row?.at).toEqual(inTenMinutes);
  expect(row?.oldest_transaction_ms).toBeGreaterThan(590_000);
  expect(row?.oldest_transaction_ms).toBeLessThan(660_000);
  await other.query("rollback");
  const [after] = await db.call<HealthRow>("read_database_health", { p_now: inTenMinutes });
  expect(after?.oldest_transaction_ms).toBeNull();
});

test("the health of the database tells the rows of live jobs and the dead ones among them", async () => {
  const jobs = new JobFactory(db);
  await jobs.aPipeline("orders", ["read"]);
  for (let count = 0; count < 3; count++) await jobs.aPendingJob();
  await (await db.connect()).query(
    "delete from lockstep.jobs where id in (select id from lockstep.jobs limit 2)",
  );
  // Counted anew by one who has changed nothing, and again: what a session has done reaches the statistics when it likes.
  const looker = await db.connect();
  const counted = async () => {
    await looker.query("analyze lockstep.jobs");
    return (await looker.query("select dead_rows, live_rows from lockstep.read_database_health()")).rows;
  };
  await expect.poll(counted, { timeout: 5_000 }).toEqual([{ dead_rows: "2", live_rows: "1" }]);
});
