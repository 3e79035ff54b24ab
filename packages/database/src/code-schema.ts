import { createHash } from "node:crypto";
import type { SqlFile } from "./packaged-sql.ts";
import { pinSettingsSql } from "./pinned-settings.ts";
import { codeSchemaVersion } from "./schema-version.ts";

/** The schema of this code. */
export interface CodeSchema {
  readonly version: number;
  readonly migrations: readonly SqlFile[];
  readonly functions: readonly SqlFile[];
  readonly grants: string;
  readonly createRoles: string;
  /** Of the functions, their settings, and the grants. */
  readonly digest: string;
}

export async function readCodeSchema(): Promise<CodeSchema> {
  // Loaded when somebody migrates: half a megabyte that a process which only adds jobs does not need.
  const { packagedSql } = await import("./packaged-sql.ts");
  const { migrations, functions, createRoles, grantRoles } = await packagedSql();
  return {
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
