import { connectionTarget } from "../connecting/connection-target.ts";
import { openClient } from "../connecting/open-client.ts";
import { readCodeSchema } from "../schema/code-schema.ts";
import type { SchemaOptions } from "../schema/schema-options.ts";
import { MigrateError, refusedConnection } from "./migrate-error.ts";

/**
 * Creates the roles lockstep_viewer, _producer, _operator and _worker if they are missing, or those of another schema. Needs CREATEROLE. If a
 * user with this right migrates, migrate does the same. If another user migrates afterwards, the roles get their grants then.
 */
export async function createRoles(options: SchemaOptions): Promise<void> {
  const target = connectionTarget(options, refusedConnection);
  const { createRoles: sql, inSchema } = await readCodeSchema(options.schema);
  const client = await openClient(target, { application_name: "lockstep roles" });
  try {
    const { rows } = await client.query<{ may: boolean; name: string }>(
      "select rolsuper or rolcreaterole as may, rolname as name from pg_roles where rolname = current_user",
    );
    if (!rows[0]?.may) {
      throw new MigrateError(
        `User ${rows[0]?.name} may not create roles. Run this as a superuser or as a user with CREATEROLE.`,
      );
    }
    await client.query(inSchema(sql));
  } finally {
    await client.end();
  }
}
