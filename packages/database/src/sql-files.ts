import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const packageFolder = new URL("../", import.meta.url);

export interface SqlFile {
  name: string;
  text: string;
}

/** The `.sql` files of one folder of this package, in the order of their names. */
export async function readSqlFiles(folder: "migrations" | "functions"): Promise<SqlFile[]> {
  const names = await sqlFileNames(folder);
  return Promise.all(
    names.map(async (name) => ({
      name,
      text: await readFile(new URL(`${folder}/${name}.sql`, packageFolder), "utf8"),
    })),
  );
}

export async function sqlFileNames(folder: "migrations" | "functions"): Promise<string[]> {
  const names = await readdir(fileURLToPath(new URL(`${folder}/`, packageFolder)));
  return names
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => name.slice(0, -".sql".length));
}

export function readGrantFile(name: "grant_roles" | "create_roles"): Promise<string> {
  return readFile(new URL(`grants/${name}.sql`, packageFolder), "utf8");
}

export function digestOf(files: readonly SqlFile[], ...more: string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(file.name).update("\0").update(file.text).update("\0");
  for (const text of more) hash.update(text).update("\0");
  return hash.digest("hex");
}
