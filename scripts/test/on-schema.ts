import { Tally } from "../tally.ts";
import { runVitest } from "./run-vitest.ts";

// The tests of the SQL functions again, with the schema under another name: on-schema.ts [files]. It is a word of SQL and of
// PL/pgSQL, so that a name without quotes does not pass.
const schema = "query";
const usual = ["packages/database/functions", "test/model", "test/pairs", "test/fuzz/sql-fuzz.test.ts"];
// It compares whole sentences in which the name stands.
const exceptions = ["--exclude=packages/database/functions/api/monitoring/diagnose.test.ts"];

const files = process.argv.slice(2);
const tally = new Tally();
const chosen = files.length > 0 ? files : [...usual, ...exceptions];
tally.add(await runVitest(chosen, { ...process.env, LOCKSTEP_TEST_SCHEMA: schema }));
tally.finish();
