import pg from "pg";
import { advisoryLock, appliedDigest, bookkeepingSql, digestSql } from "./migrate.ts";
import { migrationVersion } from "./schema-version.ts";
import { digestOf, readGrantFile, readSqlFiles } from "./sql-files.ts";

/** What a migrate would do. */
export interface MigrationPlan {
  /** The schema's version now; 0 when there is none. */
  readonly version: number;
  /** The version that this code brings. */
  readonly codeVersion: number;
  /** Names of the migrations that would run. */
  readonly migrations: readonly string[];
  /** Whether the functions and grants would be applied again. */
  readonly functions: boolean;
}

/** Looks what a migrate would do, and changes nothing. */
export async function planMigration(options: { databaseUrl: string }): Promise<MigrationPlan> {
  const client = new pg.Client({
    connectionString: options.databaseUrl,
    application_name: "lockstep migrate",
    connectionTimeoutMillis: 10_000,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("begin read only");
    return await planIn(client);
  } finally {
    await client.end();
  }
}

async function planIn(client: pg.Client): Promise<MigrationPlan> {
  const migrations = await readSqlFiles("migrations");
  const names = migrations.map(({ name }) => name);
  const codeVersion = Math.max(...names.map(migrationVersion));
  const { rows: found } = await client.query(
    "select to_regclass('lockstep.migrations') is not null and to_regclass('lockstep.applied_functions') is not null as is_there",
  );
  if (!found[0].is_there) return { version: 0, codeVersion, migrations: names, functions: true };
  const { rows } = await client.query("select coalesce(max(version), 0) as version from lockstep.migrations");
  const version: number = rows[0].version;
  return {
    version,
    codeVersion,
    migrations: names.filter((name) => migrationVersion(name) > version),
    functions: !(await appliedDigest(client)).isCurrent,
  };
}

/**
 * What a migrate from this version would send, as one script for psql: for those who let nothing but read SQL near their
 * database. Where a function's result has changed between two versions, drop that function first.
 */
export async function migrationScript(options: { fromVersion?: number } = {}): Promise<string> {
  const migrations = (await readSqlFiles("migrations")).filter(
    ({ name }) => migrationVersion(name) > (options.fromVersion ?? 0),
  );
  const functions = await readSqlFiles("functions");
  const grants = await readGrantFile("grant_roles");
  const names = functions.map(({ name }) => `'${name}'`).join(", ");
  return [
    "begin;",
    `select pg_advisory_xact_lock(${advisoryLock});`,
    bookkeepingSql,
    ...migrations.flatMap(({ name, text }) => [
      `-- ${name}`,
      text.trim(),
      `insert into lockstep.migrations (version, name) values (${migrationVersion(name)}, '${name}');`,
    ]),
    "-- Functions that have left the code.",
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
    grants.trim(),
    "select lockstep.create_partitions();",
    `insert into lockstep.applied_functions (digest) values (${digestSql(digestOf(functions, grants))})
  on conflict (only_row) do update set digest = excluded.digest;`,
    "commit;",
    "",
  ].join("\n\n");
}
