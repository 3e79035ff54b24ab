import type { Client } from "pg";
import type { CodeSchema } from "./code-schema.ts";
import { defaultSchema, rolesOf } from "./schema-name.ts";

/** Which schema a database has. Any user who may call its functions may ask. */
export interface AppliedSchema {
  /** 0: there is no schema. */
  readonly version: number;
  /** The oldest code that may use it; 0: any. */
  readonly oldestCode: number;
  /** Functions and grants are those of this code, and no role is missing that this user could create. */
  readonly isCurrent: boolean;
  readonly missingRoles: readonly string[];
}

/** An SQL expression, to be rendered for the schema's name, for what is recorded as applied: the digest of the files, and the roles that existed when grants were made. */
export function digestSql(filesDigest: string): string {
  const roles = rolesOf(defaultSchema).map((role) => `'${role}'`);
  return `'${filesDigest} ' || coalesce((
    select string_agg(rolname, ',' order by rolname) from pg_roles where rolname in (${roles.join(", ")})
  ), '')`;
}

export async function readAppliedSchema(client: Client, code: CodeSchema): Promise<AppliedSchema> {
  const { rows } = await client.query<{
    has_schema: boolean;
    may_ask: boolean;
    may_create_roles: boolean;
    missing_roles: string[];
  }>(
    `select
       (
         select count(*) from pg_class c
         join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $2 and c.relname in ('migrations', 'applied_functions')
       ) = 2 as has_schema,
       exists (
         select from pg_proc p
         join pg_namespace n on n.oid = p.pronamespace
         where n.nspname = $2 and p.proname = 'oldest_code_version'
           and has_schema_privilege(n.oid, 'usage') and has_function_privilege(p.oid, 'execute')
       ) as may_ask,
       (select r.rolsuper or r.rolcreaterole from pg_roles r where r.rolname = current_user) as may_create_roles,
       array(
         select name from unnest($1::text[]) with ordinality as needed (name, number)
         where not exists (select from pg_roles r where r.rolname = name) order by number
       ) as missing_roles`,
    [rolesOf(code.name), code.name],
  );
  const [state] = rows;
  if (state === undefined) throw new Error("PostgreSQL returned no row for a query about the schema.");
  const missingRoles = state.missing_roles;
  if (!state.has_schema) return { version: 0, oldestCode: 0, isCurrent: false, missingRoles };
  // A user who may call the functions may not read the tables. An old schema without these functions has only the tables.
  const { rows: applied } = await client.query<{
    version: number;
    oldest_code: number;
    is_current: boolean;
  }>(
    code.inSchema(
      state.may_ask
        ? `select lockstep.schema_version() as version, lockstep.oldest_code_version() as oldest_code,
             lockstep.applied_digest() = ${digestSql(code.digest)} as is_current`
        : `select (select coalesce(max(version), 0) from lockstep.migrations) as version,
             (select coalesce(max(version) filter (where is_breaking), 0) from lockstep.migrations) as oldest_code,
             coalesce((select digest from lockstep.applied_functions) = ${digestSql(code.digest)}, false) as is_current`,
    ),
  );
  const isCurrent = applied[0]?.is_current ?? false;
  return {
    version: applied[0]?.version ?? 0,
    oldestCode: applied[0]?.oldest_code ?? 0,
    isCurrent: isCurrent && (missingRoles.length === 0 || !state.may_create_roles),
    missingRoles,
  };
}
