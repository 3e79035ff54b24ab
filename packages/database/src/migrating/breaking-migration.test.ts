import { JobFactory, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { readCodeSchema } from "../schema/code-schema.ts";
import { BreakingMigrationError, breakingOf, refuseBreaking } from "./breaking-migration.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
const code = await readCodeSchema();
const pending = [
  { name: "9000_add_a_column", text: "-- A column.\nselect 1;" },
  { name: "9001_drop_it", text: "-- Another.\n-- breaking: workers read the column\nselect 1;" },
];
let client: pg.Client;

beforeAll(async () => {
  client = await db.connect();
});
beforeEach(() => db.reset());

test("a migration is breaking when its text says why", () => {
  expect(breakingOf(pending)).toEqual([{ name: "9001_drop_it", reason: "workers read the column" }]);
});

test("a breaking migration is refused while a worker is running, with what to do", async () => {
  await jobs.aWorker({ leaseSeconds: 3_600, at: new Date() });
  const refused = refuseBreaking(client, code, pending, 12);
  await expect(refused).rejects.toBeInstanceOf(BreakingMigrationError);
  await expect(refused).rejects.toThrow(
    /^Code from before version 9001 cannot use the schema after 9001_drop_it \(workers read the column\), and 1 worker\(s\) are running: .+\. Stop every process of the older release first/,
  );
});

test("it is not refused when no worker is running, nor are other migrations, nor a new schema", async () => {
  await refuseBreaking(client, code, pending, 12);
  await jobs.aWorker({ leaseSeconds: 3_600, at: new Date() });
  await refuseBreaking(client, code, pending.slice(0, 1), 12);
  await refuseBreaking(client, code, pending, 0);
});
