import { expectedIndexes } from "@lockstep/database";
import type { Finding } from "../jobs/finding.ts";
import { sqlFunction } from "./call-function.ts";
import type { Database } from "./database.ts";

const diagnoseFunction = sqlFunction("diagnose", []);

interface FindingRow {
  check_name: string;
  severity: Finding["severity"];
  finding: string;
  advice: string | null;
  repair_sql: string | null;
}

/** What the database finds about itself. */
export async function diagnoseDatabase(database: Database): Promise<Finding[]> {
  const rows = await database.query<FindingRow>(diagnoseFunction());
  return rows.map(({ check_name, severity, finding, advice, repair_sql }) => ({
    check: check_name,
    severity,
    finding,
    advice,
    repairSql: repair_sql,
  }));
}

/** Compares the indexes that are there with those that the migrations made. */
export async function diagnoseIndexes(database: Database): Promise<Finding[]> {
  const expected = await expectedIndexes();
  const rows = await database.query<{ name: string }>({
    name: "lockstep_missing_indexes",
    text: "select e.name from unnest($1::text[]) as e (name) where to_regclass(format('lockstep.%I', e.name)) is null",
    values: [expected.map(({ name }) => name)],
  });
  const missing = expected.filter(({ name }) => rows.some((row) => row.name === name));
  const check = "missing indexes";
  if (missing.length === 0) {
    const finding = `all ${expected.length} indexes of the migrations are there`;
    return [{ check, severity: "ok", finding, advice: null, repairSql: null }];
  }
  return missing.map(({ name, sql }) => ({
    check,
    severity: "bad",
    finding: `index lockstep.${name} is missing: what it served reads the whole table`,
    advice:
      "Make it again. It locks out writers while it is made: in a busy hour say concurrently after index.",
    repairSql: sql,
  }));
}
