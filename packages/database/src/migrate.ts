import pg from "pg";
import { type AppliedSchema, digestSql, readAppliedSchema } from "./applied-schema.ts";
import { brandError } from "./brand-error.ts";
import { refuseBreaking } from "./breaking-migration.ts";
import { type CodeSchema, digestOf, readCodeSchema } from "./code-schema.ts";
import { withLockPatience } from "./lock-patience.ts";
import { MigrateError } from "./migrate-error.ts";
import { refuseOtherMigrations } from "./other-migrations.ts";
import type { SqlFile } from "./packaged-sql.ts";
import { pinSettingsSql } from "./pinned-settings.ts";
import { breakingReason, migrationVersion, refuseTooNew } from "./schema-version.ts";

// A number that no other program is likely to use.
export const advisoryLock = 7_105_113_101_112n;
// PostgreSQL: "cannot change return type of existing function", or the name of an argument.
const cannotReplace = "42P13";
const permissionDenied = "42501";

export const bookkeepingSql = `do $schema$
begin
  -- "if not exists" needs a right on the database even if the schema exists.
  if not exists (select from pg_namespace where nspname = 'lockstep') then
    create schema lockstep;
  end if;
end
$schema$;
-- The migrations that this database has seen.
create table if not exists lockstep.migrations (
  version integer primary key,                 -- the number that the file's name begins with
  name text not null,                          -- its file, without the extension
  digest text not null,                        -- of its text: tells a schema that other migrations have made
  is_breaking boolean not null,                -- code from before it can no longer use the schema
  applied_at timestamptz not null default now() -- when it ran
);
-- Which functions and grants this database has.
create table if not exists lockstep.applied_functions (
  only_row boolean primary key default true check (only_row), -- always true, so that there is one row at most
  digest text not null                                        -- if it is that of the code, migrate need not apply them again
);`;

/** Sent after the commit, since it needs locks that readers of finished jobs hold. If it cannot create a table now, retention does later. */
export const dayTablesSql = "select lockstep.create_partitions();";

export interface MigrateOptions {
  databaseUrl: string;
  /** How long to keep trying if an open transaction holds a table that must change; default 60,000. Jobs go on meanwhile. */
  lockPatienceMs?: number | undefined;
  /** Called now and then with a sentence that says who blocks. */
  onWaiting?: ((sentence: string) => void) | undefined;
  /** Run migrations that are marked as breaking, although workers are running; default false. */
  allowBreaking?: boolean | undefined;
}

/** What a migration has done. */
export interface Migrated {
  /** Names of the migrations that ran now; empty if there was nothing to do, or if the schema is newer and this code can use it. */
  migrations: string[];
  /** Whether the functions and grants were applied again. */
  functions: boolean;
  /** The schema's version afterwards. */
  version: number;
  /** Roles for applications that do not exist and that this user may not create; see `createRoles`. */
  missingRoles: string[];
}

/** There is something to migrate, but this user may not do it. */
export class MigrationForbiddenError extends MigrateError {
  static {
    brandError(MigrationForbiddenError, "MigrationForbiddenError");
  }

  override readonly name = "MigrationForbiddenError";

  /** `found` is null if this user may not even read the version. */
  constructor(found: number | null, needed: number, user: string, cause: Error) {
    const from =
      found === 0
        ? "There is no schema yet"
        : `The schema has ${found === null ? "another version" : `version ${found}`}`;
    super(
      `${from}, this code has version ${needed}, and user ${user} may not migrate it (${cause.message}). ` +
        "Run `lockstep migrate` as the owner of the schema. Nothing was changed.",
      { cause },
    );
  }
}

/** Brings the schema `lockstep` of a database to this code's version, in one transaction and under a lock. */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  const code = await readCodeSchema();
  const client = new pg.Client({
    connectionString: options.databaseUrl,
    application_name: "lockstep migrate",
    connectionTimeoutMillis: 10_000,
  });
  // A connection that breaks while idle must not end the process; the next query reports it.
  client.on("error", () => {});
  await client.connect();
  try {
    return await migrateWith(client, code, options);
  } finally {
    await client.end();
  }
}

async function migrateWith(client: pg.Client, code: CodeSchema, options: MigrateOptions): Promise<Migrated> {
  const { databaseUrl, lockPatienceMs = 60_000, onWaiting = () => {}, allowBreaking = false } = options;
  let version: number | null = null;
  try {
    await refuseOtherMigrations(client, code);
    const applied = await readAppliedSchema(client, code);
    version = applied.version;
    // Checked first, without a lock, for users who may not migrate, and for many processes that start at once.
    if (isDone(applied, code)) return nothingDone(applied);
    if (!allowBreaking) await refuseBreaking(client, pendingMigrations(code, version), version);
    const migrated = await withLockPatience(client, databaseUrl, { lockPatienceMs, onWaiting }, () =>
      migrateIn(client, code),
    );
    if (migrated.functions) await client.query(dayTablesSql);
    return migrated;
  } catch (error) {
    if ((error as { code?: string }).code !== permissionDenied) throw error;
    const { rows } = await client.query<{ name: string }>("select current_user as name");
    throw new MigrationForbiddenError(version, code.version, rows[0]?.name ?? "", error as Error);
  }
}

async function migrateIn(client: pg.Client, code: CodeSchema): Promise<Migrated> {
  await client.query("select pg_advisory_xact_lock($1)", [advisoryLock.toString()]);
  await client.query(bookkeepingSql);
  await client.query(code.createRoles);

  // Another process may have migrated in the meantime, to this version or a newer one.
  const before = await readAppliedSchema(client, code);
  if (isDone(before, code)) return nothingDone(before);
  const pending = pendingMigrations(code, before.version);
  for (const migration of pending) {
    await client.query(migration.text);
    await client.query(recordSql(migration));
  }

  const { isCurrent, missingRoles } = await readAppliedSchema(client, code);
  if (!isCurrent) await applyFunctions(client, code);
  return {
    migrations: pending.map((file) => file.name),
    functions: !isCurrent,
    version: code.version,
    missingRoles: [...missingRoles],
  };
}

export function pendingMigrations(code: CodeSchema, version: number): SqlFile[] {
  return code.migrations.filter(({ name }) => migrationVersion(name) > version);
}

/** What `lockstep.migrations` keeps of one that has run. */
export function recordSql(migration: SqlFile): string {
  const isBreaking = breakingReason(migration) !== null;
  return `insert into lockstep.migrations (version, name, digest, is_breaking)
values (${migrationVersion(migration.name)}, '${migration.name}', '${digestOf(migration.text)}', ${isBreaking});`;
}

/** Also where a newer release has migrated, as long as this code can use its schema: to put back older functions would break that release. */
export function isDone(applied: AppliedSchema, code: CodeSchema): boolean {
  refuseTooNew(applied, code.version);
  return applied.version > code.version || (applied.version === code.version && applied.isCurrent);
}

function nothingDone({ version, missingRoles }: AppliedSchema): Migrated {
  return { migrations: [], functions: false, version, missingRoles: [...missingRoles] };
}

/** Applies all functions and grants, since they or the roles differ from what was applied last. */
async function applyFunctions(client: pg.Client, { functions, grants, digest }: CodeSchema): Promise<void> {
  await dropUnknownFunctions(client, functions);
  // A function may call one that comes later in the alphabet.
  await client.query("set local check_function_bodies = off");
  for (const file of functions) await applyFunction(client, file);
  await dropOldOverloads(client);
  await client.query(pinSettingsSql);
  await client.query(grants);
  await client.query(
    `insert into lockstep.applied_functions (digest) values (${digestSql(digest)})
     on conflict (only_row) do update set digest = excluded.digest`,
  );
}

/** Replaces a function in place, so that running sessions can go on calling it. If its result type has changed, it must be dropped first. */
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

/** With changed arguments, PostgreSQL creates a second function, and calls become ambiguous. Only the newer one stays. */
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

/** Drops functions that are no longer in the code: an old body must not stay callable. */
async function dropUnknownFunctions(client: pg.Client, functions: readonly SqlFile[]): Promise<void> {
  const { rows } = await client.query(
    `select p.oid::regprocedure::text as signature
     from pg_proc p
     where p.pronamespace = 'lockstep'::regnamespace and p.proname <> all ($1)`,
    [functions.map((file) => file.name)],
  );
  for (const row of rows) await client.query(`drop function ${row.signature}`);
}
