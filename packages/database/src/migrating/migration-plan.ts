import { connectionTarget } from "../connecting/connection-target.ts";
import { openClient } from "../connecting/open-client.ts";
import { readAppliedSchema } from "../schema/applied-schema.ts";
import { readCodeSchema } from "../schema/code-schema.ts";
import { pinSettingsSql } from "../schema/pinned-settings.ts";
import type { SchemaOptions } from "../schema/schema-options.ts";
import { type BreakingMigration, breakingOf } from "./breaking-migration.ts";
import { lockTimeoutMs } from "./lock-patience.ts";
import {
  bookkeepingSql,
  dayTablesSql,
  isDone,
  lockSql,
  pendingMigrations,
  recordFunctionsSql,
  recordSql,
} from "./migrate.ts";
import { refusedConnection } from "./migrate-error.ts";
import { refuseOtherMigrations } from "./other-migrations.ts";

/** What migrate would do. */
export interface MigrationPlan {
  /** The schema's version now; 0 if there is no schema. */
  readonly version: number;
  /** The version of this code. */
  readonly codeVersion: number;
  /** Names of the migrations that would run. */
  readonly migrations: readonly string[];
  /** Those of them after which older code can no longer use the schema, and why. */
  readonly breaking: readonly BreakingMigration[];
  /** Whether the functions and grants would be applied again. */
  readonly functions: boolean;
}

/** Finds out what migrate would do, and changes nothing. */
export async function planMigration(options: SchemaOptions): Promise<MigrationPlan> {
  const target = connectionTarget(options, refusedConnection);
  const code = await readCodeSchema(options.schema);
  const client = await openClient(target, { application_name: "lockstep migrate" });
  try {
    await client.query("begin read only");
    await refuseOtherMigrations(client, code);
    const applied = await readAppliedSchema(client, code);
    const pending = pendingMigrations(code, applied.version);
    return {
      version: applied.version,
      codeVersion: code.version,
      migrations: pending.map(({ name }) => name),
      breaking: breakingOf(pending),
      functions: !isDone(applied, code),
    };
  } finally {
    await client.end();
  }
}

/**
 * What migrate would send to a schema of this version, as one script for psql, for those who review all SQL before it reaches their
 * database. If the result type of a function has changed between the two versions, drop that function first. If an open transaction holds
 * a table that must change, the script fails at once and changes nothing: run it again.
 */
export async function migrationScript(
  options: { fromVersion?: number; schema?: string | undefined } = {},
): Promise<string> {
  const code = await readCodeSchema(options.schema);
  const { functions, grants } = code;
  const migrations = pendingMigrations(code, options.fromVersion ?? 0);
  const names = functions.map(({ name }) => `'${name}'`).join(", ");
  const script = [
    "begin;",
    "-- While a statement waits for a lock, jobs wait behind it. If a statement fails with a lock timeout, run the whole script again.",
    `set local lock_timeout = ${lockTimeoutMs};`,
    lockSql,
    bookkeepingSql,
    code.createRoles.trim(),
    ...migrations.flatMap((migration) => [
      `-- ${migration.name}`,
      migration.text.trim(),
      recordSql(migration),
    ]),
    "-- Drop functions that are no longer in the code.",
    `do $drop$
declare v_signature text;
begin
  for v_signature in
    select p.oid::regprocedure::text from pg_proc p
    where p.pronamespace = 'lockstep'::regnamespace and p.proname not in (${names})
  loop
    execute 'drop function ' || v_signature;
  end loop;
end
$drop$;`,
    "set local check_function_bodies = off;",
    ...functions.map(({ text }) => text.trim()),
    "-- The settings of the functions.",
    pinSettingsSql,
    grants.trim(),
    recordFunctionsSql(code),
    "commit;",
    dayTablesSql,
    "",
  ].join("\n\n");
  return code.inSchema(script);
}
