import type { Client } from "pg";
import { brandError } from "../brand-error.ts";
import { type ConnectionTarget, connectionTarget } from "../connecting/connection-target.ts";
import { openClient } from "../connecting/open-client.ts";
import { readAdminSql } from "../schema/admin-sql.ts";
import { type AppliedSchema, digestSql, readAppliedSchema } from "../schema/applied-schema.ts";
import { type CodeSchema, digestOf, readCodeSchema } from "../schema/code-schema.ts";
import type { SqlFile } from "../schema/packaged-sql.ts";
import { pinSettingsSql } from "../schema/pinned-settings.ts";
import { migrateCommand } from "../schema/schema-name.ts";
import type { SchemaOptions } from "../schema/schema-options.ts";
import { breakingReason, migrationVersion, refuseTooNew } from "../schema/schema-version.ts";
import { refuseBreaking } from "./breaking-migration.ts";
import { withLockPatience } from "./lock-patience.ts";
import { MigrateError, refusedConnection } from "./migrate-error.ts";
import { refuseOtherMigrations } from "./other-migrations.ts";

/** One migrate of a schema at a time, until the transaction ends. */
export const lockSql = "select pg_advisory_xact_lock(hashtextextended('lockstep.migrations', 0));";
// PostgreSQL: "cannot change return type of existing function", or the name of an argument.
const cannotReplace = "42P13";
const permissionDenied = "42501";
const duplicateSchema = "42P06";
const readOnlyTransaction = "25006";
const statementTimeout = "57014";

export const bookkeepingSql = `do $schema$
begin
  -- "if not exists" needs a right on the database even if the schema exists.
  if not exists (select from pg_namespace where nspname = 'lockstep') then
    create schema lockstep;
  elsif to_regclass('lockstep.applied_functions') is null and exists (
    select from pg_class c where c.relnamespace = 'lockstep'::regnamespace
    union all
    select from pg_proc p where p.pronamespace = 'lockstep'::regnamespace
  ) then
    -- Functions that are not in the code are dropped below.
    raise exception 'The schema lockstep has tables or functions in it that are not Lockstep''s, which needs a schema of its own: name one that does not exist yet, or that is empty. Nothing was changed.'
      using errcode = 'duplicate_schema';
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

export type MigrateOptions = SchemaOptions & MigrateLimits;

export interface MigrateLimits {
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
  /**
   * What somebody else has to run, so that applications can use the schema: this user may not create the roles, or may not grant them the
   * use of the schema. After new roles, migrate once more: it grants them the functions.
   */
  adminSql: string[];
}

type Done = Omit<Migrated, "adminSql">;

/** There is something to migrate, but this user may not do it. */
export class MigrationForbiddenError extends MigrateError {
  static {
    brandError(MigrationForbiddenError, "MigrationForbiddenError");
  }

  override readonly name = "MigrationForbiddenError";

  /** `found` is null if this user may not even read the version. */
  constructor(schema: string, found: number | null, needed: number, user: string, cause: Error) {
    const from =
      found === 0
        ? "There is no schema yet"
        : `The schema has ${found === null ? "another version" : `version ${found}`}`;
    super(
      `${from}, this code has version ${needed}, and user ${user} may not migrate it (${cause.message}). ` +
        `Run \`${migrateCommand(schema)}\` as the owner of the schema. Nothing was changed.`,
      { cause },
    );
  }
}

/** Brings the schema of a database to this code's version, in one transaction and under a lock. */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  const target = connectionTarget(options, refusedConnection);
  const code = await readCodeSchema(options.schema);
  const client = await openClient(target, { application_name: "lockstep migrate" });
  try {
    return await migrateWith(client, target, code, options);
  } finally {
    await client.end();
  }
}

async function migrateWith(
  client: Client,
  target: ConnectionTarget,
  code: CodeSchema,
  options: MigrateLimits,
): Promise<Migrated> {
  const { lockPatienceMs = 60_000, onWaiting = () => {}, allowBreaking = false } = options;
  let version: number | null = null;
  try {
    await refuseOtherMigrations(client, code);
    const applied = await readAppliedSchema(client, code);
    version = applied.version;
    // Checked first, without a lock, for users who may not migrate, and for many processes that start at once.
    if (isDone(applied, code)) return { ...nothingDone(applied), adminSql: await readAdminSql(client, code) };
    if (!allowBreaking) await refuseBreaking(client, code, pendingMigrations(code, version), version);
    const migrated = await withLockPatience(client, target, { lockPatienceMs, onWaiting }, () =>
      migrateIn(client, code),
    );
    if (migrated.functions) await client.query(code.inSchema(dayTablesSql));
    return { ...migrated, adminSql: await readAdminSql(client, code) };
  } catch (error) {
    const refusal = error as Error & { code?: string };
    if (refusal.code === permissionDenied) {
      const { rows } = await client.query<{ name: string }>("select current_user as name");
      throw new MigrationForbiddenError(code.name, version, code.version, rows[0]?.name ?? "", refusal);
    }
    throw namedRefusal(refusal) ?? refusal;
  }
}

/** Null: it is nothing that this code knows more about than PostgreSQL says. */
function namedRefusal(error: Error & { code?: string }): MigrateError | null {
  switch (error.code) {
    case duplicateSchema:
      return new MigrateError(error.message, { cause: error });
    case readOnlyTransaction:
      return new MigrateError(
        `The schema cannot be migrated where nothing can be written (${error.message}). A standby follows its primary: migrate there. ` +
          "Where default_transaction_read_only is set for the server, the database or the user, switch it off first. Nothing was changed.",
        { cause: error },
      );
    case statementTimeout:
      return new MigrateError(
        `PostgreSQL ended a statement of the migration (${error.message}). If it was the statement_timeout of the user, migrate without ` +
          "the pooler in between, or as a user without that limit. Nothing was changed.",
        { cause: error },
      );
    default:
      return null;
  }
}

async function migrateIn(client: Client, code: CodeSchema): Promise<Done> {
  const { inSchema } = code;
  await client.query(inSchema(lockSql));
  await client.query(inSchema(bookkeepingSql));
  await client.query(inSchema(code.createRoles));

  // Another process may have migrated in the meantime, to this version or a newer one.
  const before = await readAppliedSchema(client, code);
  if (isDone(before, code)) return nothingDone(before);
  const pending = pendingMigrations(code, before.version);
  for (const migration of pending) {
    await client.query(inSchema(migration.text));
    await client.query(inSchema(recordSql(migration)));
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

/** What `lockstep.applied_functions` keeps of the functions and grants. */
export function recordFunctionsSql({ digest }: CodeSchema): string {
  return `insert into lockstep.applied_functions (digest) values (${digestSql(digest)})
  on conflict (only_row) do update set digest = excluded.digest;`;
}

/** Also where a newer release has migrated, as long as this code can use its schema: to put back older functions would break that release. */
export function isDone(applied: AppliedSchema, code: CodeSchema): boolean {
  refuseTooNew(applied, code.version);
  return applied.version > code.version || (applied.version === code.version && applied.isCurrent);
}

function nothingDone({ version, missingRoles }: AppliedSchema): Done {
  return { migrations: [], functions: false, version, missingRoles: [...missingRoles] };
}

/** Applies all functions and grants, since they or the roles differ from what was applied last. */
async function applyFunctions(client: Client, code: CodeSchema): Promise<void> {
  const { functions, inSchema } = code;
  await dropUnknownFunctions(client, code);
  // A function may call one that comes later in the alphabet.
  await client.query("set local check_function_bodies = off");
  for (const file of functions) await applyFunction(client, code, file);
  await dropOldOverloads(client, code);
  await client.query(inSchema(pinSettingsSql));
  await client.query(inSchema(code.grants));
  await client.query(inSchema(recordFunctionsSql(code)));
}

/** Replaces a function in place, so that running sessions can go on calling it. If its result type has changed, it must be dropped first. */
async function applyFunction(client: Client, { inSchema }: CodeSchema, file: SqlFile): Promise<void> {
  await client.query("savepoint before_function");
  try {
    await client.query(inSchema(file.text));
  } catch (error) {
    if ((error as { code?: string }).code !== cannotReplace) throw error;
    await client.query("rollback to savepoint before_function");
    await client.query(inSchema(`drop function lockstep.${file.name}`));
    await client.query(inSchema(file.text));
  }
  await client.query("release savepoint before_function");
}

/** With changed arguments, PostgreSQL creates a second function, and calls become ambiguous. Only the newer one stays. */
async function dropOldOverloads(client: Client, { inSchema }: CodeSchema): Promise<void> {
  const { rows } = await client.query(
    inSchema(`select old.oid::regprocedure::text as signature
     from pg_proc old
     where old.pronamespace = 'lockstep'::regnamespace
       and exists (
         select from pg_proc new
         where new.pronamespace = old.pronamespace and new.proname = old.proname and new.oid > old.oid
       )`),
  );
  for (const row of rows) await client.query(`drop function ${row.signature}`);
}

/** Drops functions that are no longer in the code: an old body must not stay callable. */
async function dropUnknownFunctions(client: Client, { functions, inSchema }: CodeSchema): Promise<void> {
  const { rows } = await client.query(
    inSchema(`select p.oid::regprocedure::text as signature
     from pg_proc p
     where p.pronamespace = 'lockstep'::regnamespace and p.proname <> all ($1)`),
    [functions.map((file) => file.name)],
  );
  for (const row of rows) await client.query(`drop function ${row.signature}`);
}
