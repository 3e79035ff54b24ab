import type { Client } from "pg";
import type { CodeSchema } from "./code-schema.ts";
import { rolesOf } from "./schema-name.ts";

/**
 * What somebody with more rights than this user has to run, so that applications can use the schema through its roles: the roles
 * themselves need CREATEROLE, and only the owner of a schema grants its use. Empty if nothing is missing.
 */
export async function readAdminSql(client: Client, code: CodeSchema): Promise<string[]> {
  const { rows } = await client.query<{ role: string; exists: boolean; may_grant: boolean }>(
    `select name as role, r.oid is not null as exists, has_schema_privilege($2::text, 'usage with grant option') as may_grant
     from unnest($1::text[]) with ordinality as needed (name, number)
     left join pg_roles r on r.rolname = needed.name
     where r.oid is null or not has_schema_privilege(r.oid, $2::text, 'usage')
     order by needed.number`,
    [rolesOf(code.name), code.name],
  );
  const missing = rows.filter(({ exists }) => !exists);
  const withoutUse = rows.filter(({ may_grant }) => !may_grant);
  return [
    ...missing.map(({ role }) => `create role ${role} nologin;`),
    ...(withoutUse.length === 0
      ? []
      : [
          `${code.inSchema("grant usage on schema lockstep to")} ${withoutUse.map(({ role }) => role).join(", ")};`,
        ]),
  ];
}
