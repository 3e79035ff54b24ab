import { createHash } from "node:crypto";
import { inSchema } from "./in-schema.ts";
import type { SqlFile } from "./packaged-sql.ts";
import { pinSettingsSql } from "./pinned-settings.ts";
import { checkedSchema } from "./schema-name.ts";
import { codeSchemaVersion } from "./schema-version.ts";

/** The schema of this code. Its texts are for the name `lockstep`; `inSchema` gives those for its own name. */
export interface CodeSchema {
  readonly name: string;
  readonly inSchema: (sql: string) => string;
  readonly version: number;
  readonly migrations: readonly SqlFile[];
  readonly functions: readonly SqlFile[];
  readonly grants: string;
  readonly createRoles: string;
  /** Of the functions, their settings, and the grants; the same under every name. */
  readonly digest: string;
}

export async function readCodeSchema(schema?: string): Promise<CodeSchema> {
  const schemaName = checkedSchema(schema);
  // Loaded when somebody migrates: half a megabyte that a process which only adds jobs does not need.
  const { packagedSql } = await import("./packaged-sql.ts");
  const { migrations, functions, createRoles, grantRoles } = await packagedSql();
  return {
    name: schemaName,
    inSchema: (sql) => inSchema(sql, schemaName),
    version: codeSchemaVersion,
    migrations,
    functions,
    grants: grantRoles,
    createRoles,
    digest: digestOf(...functions.flatMap(({ name, text }) => [name, text]), pinSettingsSql, grantRoles),
  };
}

export function digestOf(...texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("hex");
}
