import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface SqlFile {
  readonly name: string;
  readonly text: string;
}

/** All SQL of this package, in the order in which it is applied. */
export interface PackagedSql {
  readonly migrations: readonly SqlFile[];
  readonly functions: readonly SqlFile[];
  readonly createRoles: string;
  readonly grantRoles: string;
}

/**
 * Reads the files of the repository. The build replaces this module by one that holds their text (scripts/build/embed-sql.ts):
 * what is published looks for no files, so that bundlers need not know of any.
 */
export async function packagedSql(): Promise<PackagedSql> {
  const folder = fileURLToPath(new URL("../../", import.meta.url));
  return {
    migrations: await sqlFiles(join(folder, "migrations")),
    functions: await sqlFiles(join(folder, "functions")),
    createRoles: await readFile(join(folder, "grants/create_roles.sql"), "utf8"),
    grantRoles: await readFile(join(folder, "grants/grant_roles.sql"), "utf8"),
  };
}

/** By name. A function's name is its file's, whichever folder that is in. */
async function sqlFiles(folder: string): Promise<SqlFile[]> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".sql"));
  const files = await Promise.all(
    paths.map(async (path) => ({
      name: basename(path, ".sql"),
      text: await readFile(join(folder, path), "utf8"),
    })),
  );
  return files.sort((one, other) => (one.name < other.name ? -1 : 1));
}
