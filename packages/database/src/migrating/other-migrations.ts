import type { Client } from "pg";
import { brandError } from "../brand-error.ts";
import { type CodeSchema, digestOf } from "../schema/code-schema.ts";
import { inSchema } from "../schema/in-schema.ts";
import { migrationVersion } from "../schema/schema-version.ts";
import { MigrateError } from "./migrate-error.ts";

/** The schema was created by other migrations than those of this code, so its version means nothing here. */
export class OtherMigrationsError extends MigrateError {
  static {
    brandError(OtherMigrationsError, "OtherMigrationsError");
  }

  override readonly name = "OtherMigrationsError";

  constructor(schema: string, version: number, recorded: string, ours: string) {
    const difference =
      recorded === ours
        ? `its migration "${ours}" has another text than here`
        : `its migration ${version} is "${recorded}", but here it is "${ours}"`;
    super(
      `The schema ${schema} of this database was created by a version of Lockstep from before the first release: ${difference}. ` +
        "There is no migration from it. Let that version finish its jobs, then create the schema again: " +
        `\`${inSchema("drop schema lockstep cascade", schema)}\`, and migrate. Nothing was changed.`,
    );
  }
}

/** Compares the migrations recorded in a database with ours of the same numbers, if this user may read them. */
export async function refuseOtherMigrations(client: Client, code: CodeSchema): Promise<void> {
  const { rows: tables } = await client.query<{ is_readable: boolean }>(
    `select has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as is_readable
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname = 'migrations'
       and exists (select from pg_class f where f.relnamespace = n.oid and f.relname = 'applied_functions')`,
    [code.name],
  );
  if (tables[0]?.is_readable !== true) return;
  // By way of JSON: the first development versions kept no digest.
  const { rows } = await client.query<{ version: number; name: string; digest: string | null }>(
    code.inSchema(
      "select version, name, to_jsonb(m) ->> 'digest' as digest from lockstep.migrations m order by version",
    ),
  );
  const migrations = new Map(
    code.migrations.map((migration) => [migrationVersion(migration.name), migration]),
  );
  for (const { version, name, digest } of rows) {
    const ours = migrations.get(version);
    if (ours === undefined || (ours.name === name && digestOf(ours.text) === digest)) continue;
    throw new OtherMigrationsError(code.name, version, name, ours.name);
  }
}
