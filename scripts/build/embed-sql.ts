import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type PackagedSql, packagedSql } from "../../packages/database/src/schema/packaged-sql.ts";

/** Puts the SQL into the compiled package, in place of the module that reads its files. */
export async function embedSql(compiled: string): Promise<void> {
  writeFileSync(join(compiled, "schema/packaged-sql.js"), sqlModule(await packagedSql()));
}

/** The text of that module. Its map is still the one of the module that it replaces, so that it leads to a source. */
export function sqlModule(sql: PackagedSql): string {
  const text = JSON.stringify(JSON.stringify(sql));
  return `const sql = JSON.parse(${text});\nexport const packagedSql = async () => sql;\n//# sourceMappingURL=packaged-sql.js.map\n`;
}
