import pg from "pg";
import { migrationVersion, SchemaTooNewError } from "./schema-version.ts";
import { digestOf, readGrantFile, readSqlFiles, type SqlFile } from "./sql-files.ts";

// Any number that no other program is likely to lock.
export const advisoryLock = 7_105_113_101_112n;
// PostgreSQL: "cannot change return type of existing function", or the name of an argument.
const cannotReplace = "42P13";

export const bookkeepingSql = `create schema if not exists lockstep;
create table if not exists lockstep.migrations (
  version integer primary key,
  name text not null,
  applied_at timestamptz not null default now()
);
create table if not exists lockstep.applied_functions (
  only_row boolean primary key default true check (only_row),
  digest text not null
);`;

/** What was applied, as SQL: the files, and the roles that were there to be granted them. */
export function digestSql(filesDigest: string): string {
  return `'${filesDigest} ' || coalesce((
    select string_agg(rolname, ',' order by rolname) from pg_roles where rolname like 'lockstep\\_%'
  ), '')`;
}

export interface MigrateOptions {
  databaseUrl: string;
}

export interface Migrated {
  /** Names of the migrations that ran now; empty when there was nothing to do. */
  migrations: string[];
  /** Whether the functions and grants were applied again. */
  functions: boolean;
  /** The schema's version afterwards. */
  version: number;
}

/** Brings the schema `lockstep` of a database to this code's version: one transaction, under a lock. */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  const client = new pg.Client({
    connectionString: options.databaseUrl,
    application_name: "lockstep migrate",
    connectionTimeoutMillis: 10_000,
  });
  // A connection that ends while idle must not end the process; the next query reports it.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("begin");
    const migrated = await migrateIn(client);
    await client.query("commit");
    return migrated;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    await client.end();
  }
}

async function migrateIn(client: pg.Client): Promise<Migrated> {
  await client.query("select pg_advisory_xact_lock($1)", [advisoryLock.toString()]);
  await createBookkeeping(client);

  const migrations = await readSqlFiles("migrations");
  const codeVersion = Math.max(...migrations.map((file) => migrationVersion(file.name)));
  const version = await appliedVersion(client);
  if (version > codeVersion) throw new SchemaTooNewError(version, codeVersion);

  const pending = migrations.filter((file) => migrationVersion(file.name) > version);
  for (const migration of pending) {
    await client.query(migration.text);
    await client.query("insert into lockstep.migrations (version, name) values ($1, $2)", [
      migrationVersion(migration.name),
      migration.name,
    ]);
  }

  return {
    migrations: pending.map((file) => file.name),
    functions: await applyFunctions(client),
    version: codeVersion,
  };
}

async function createBookkeeping(client: pg.Client): Promise<void> {
  await client.query(bookkeepingSql);
}

async function appliedVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query("select coalesce(max(version), 0) as version from lockstep.migrations");
  return rows[0].version;
}

/** The functions and grants of this code with their digest, and whether it is the one that was applied last. */
export async function appliedDigest(
  client: pg.Client,
): Promise<{ functions: SqlFile[]; grants: string; digest: string; isCurrent: boolean }> {
  const functions = await readSqlFiles("functions");
  const grants = await readGrantFile("grant_roles");
  const { rows } = await client.query(
    `select ${digestSql(digestOf(functions, grants))} as digest,
       (select digest from lockstep.applied_functions) as applied`,
  );
  const { digest, applied } = rows[0];
  return { functions, grants, digest, isCurrent: applied === digest };
}

/** Applies the functions when they, or the roles to grant them to, differ from what was applied last. */
async function applyFunctions(client: pg.Client): Promise<boolean> {
  const { functions, grants, digest, isCurrent } = await appliedDigest(client);
  if (isCurrent) return false;

  await dropUnknownFunctions(client, functions);
  // A function may name one that comes later in the alphabet.
  await client.query("set local check_function_bodies = off");
  for (const file of functions) await applyFunction(client, file);
  await dropOldOverloads(client);
  await client.query(grants);
  await client.query("select lockstep.create_partitions()");
  await client.query(
    "insert into lockstep.applied_functions (digest) values ($1) on conflict (only_row) do update set digest = excluded.digest",
    [digest],
  );
  return true;
}

/** Replaces a function in place, so that sessions under way keep it; one whose result has changed cannot be. */
async function applyFunction(client: pg.Client, file: SqlFile): Promise<void> {
  await client.query("savepoint before_function");
  try {
    await client.query(file.text);
  } catch (error) {
    if ((error as { code?: string }).code !== cannotReplace) throw error;
    await client.query("rollback to savepoint before_function");
    await client.query(`drop function lockstep.${file.name}`);
    await client.query(file.text);
  }
  await client.query("release savepoint before_function");
}

/** Changed arguments make a second function beside the first, and calls ambiguous: only the new one stays. */
async function dropOldOverloads(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select old.oid::regprocedure::text as signature
     from pg_proc old
     where old.pronamespace = 'lockstep'::regnamespace
       and exists (
         select from pg_proc new
         where new.pronamespace = old.pronamespace and new.proname = old.proname and new.oid > old.oid
       )`,
  );
  for (const row of rows) await client.query(`drop function ${row.signature}`);
}

/** A function that has left the code leaves the database too: an old body must not stay callable. */
async function dropUnknownFunctions(client: pg.Client, functions: readonly SqlFile[]): Promise<void> {
  const { rows } = await client.query(
    `select p.oid::regprocedure::text as signature
     from pg_proc p
     where p.pronamespace = 'lockstep'::regnamespace and p.proname <> all ($1)`,
    [functions.map((file) => file.name)],
  );
  for (const row of rows) await client.query(`drop function ${row.signature}`);
}
