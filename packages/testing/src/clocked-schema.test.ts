import { testDatabase } from "@lockstep/test-support";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeClockedSchema, setDatabaseTime } from "./clocked-schema.ts";

const db = testDatabase();
const client = new pg.Client({ connectionString: db.url });
const summer = new Date("2031-07-01T00:00:00Z");

beforeAll(async () => {
  await makeClockedSchema(db.url);
  await client.connect();
});
afterAll(() => client.end());

test("a function that is not told the time takes that of the test", async () => {
  await setDatabaseTime(client, summer);
  await db.call("define_pipeline", { p_name: "orders", p_stages: [{ name: "read" }] });
  const [added] = await db.call<{ id: string }>("add_job", { p_pipeline: "orders" });
  const [job] = await db.call("get_job", { p_id: added?.id });
  expect(job).toMatchObject({ added_at: summer });
  await setDatabaseTime(client, new Date(summer.getTime() + 1));
  expect(await db.value("cancel_job", { p_id: added?.id })).toBe("cancelled");
  const [cancelled] = await db.call("get_job", { p_id: added?.id });
  expect(cancelled).toMatchObject({ finished_at: new Date(summer.getTime() + 1) });
});

test("every function that has the time as an argument with a default takes that of the test", async () => {
  const rows = await db.query(
    `select proname from pg_proc
     where pronamespace = 'lockstep'::regnamespace and pg_get_function_arguments(oid) ~ 'DEFAULT clock_timestamp'`,
  );
  expect(rows).toEqual([]);
});

test("no function decides by a clock of its own", async () => {
  const rows = await db.query<{ proname: string }>(
    `select proname from pg_proc
     where pronamespace = 'lockstep'::regnamespace
       and regexp_replace(prosrc, '--.*?$', '', 'gn') ~* '\\m(clock_timestamp|now|statement_timestamp|transaction_timestamp)\\s*\\(|\\mcurrent_timestamp\\M'`,
  );
  // These measure how long a look, a lock or a step took, which is real time.
  expect(rows.map(({ proname }) => proname).sort()).toEqual([
    "claim_jobs",
    "follow_clock_back",
    "lock_gates",
    "present_claims",
    "settle_and_claim",
    "step_bulk_action",
  ]);
});
