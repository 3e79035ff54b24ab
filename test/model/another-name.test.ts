// The SQL under another name of the schema, in a database that has no schema `lockstep`: what still named that would be refused.
import { randomBytes } from "node:crypto";
import { migrate } from "@lockstep/database";
import { clientOfRun, testDatabase } from "@lockstep/test-support";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fuzzSql } from "../fuzz/sql-fuzz.ts";
import { runModel } from "./run-model.ts";

const db = testDatabase();
// Roles belong to the server: those of this name come and go with this file.
const schema = `model_${randomBytes(4).toString("hex")}`;
const admin = new pg.Client({ connectionString: db.url });
const client = clientOfRun({ connectionString: db.url }, schema);

beforeAll(async () => {
  await migrate({ databaseUrl: db.url, schema });
  await admin.connect();
  await admin.query(`drop schema ${db.schema} cascade`);
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await admin.query(`drop schema ${schema} cascade`);
  for (const role of ["viewer", "producer", "operator", "worker"]) {
    await admin.query(`drop role ${schema}_${role}`);
  }
  await admin.end();
});

test("every function of the SQL API refuses what nobody can mean as bad input, and keeps the invariants", async () => {
  const { calls, answered, mistakes } = await fuzzSql(client, { seed: 20_261_118, callsEach: 20 });
  expect(mistakes).toEqual([]);
  expect(answered / calls).toBeGreaterThan(0.1);
});

test("it answers as the model does", async () => {
  const { failure } = await runModel(client, { seed: 1, runs: 20 });
  expect(failure?.text ?? null).toBeNull();
});
