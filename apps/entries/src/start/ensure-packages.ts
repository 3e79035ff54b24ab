import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newestOf } from "./newest-of.ts";
import { finishProgram } from "./run-program.ts";

const repository = fileURLToPath(new URL("../../../../", import.meta.url));
const packages = ["packages/database", "packages/engine", "packages/server", "packages/client"];

/**
 * Compiles the packages that Next loads, when they are not or have changed since. An application of yours has them from
 * npm, compiled.
 */
export async function ensurePackages(): Promise<void> {
  if (packages.every(isCompiled)) return;
  process.stdout.write("Compiling the packages of Lockstep\n");
  const build = ["--conditions=@lockstep/source", "--import", "tsx", "scripts/build/main.ts", ...packages];
  // biome-ignore lint/style/noProcessEnv: handed on as it is.
  await finishProgram(build, { folder: repository, env: process.env });
}

function isCompiled(folder: string): boolean {
  const compiled = join(repository, folder, "dist", "index.js");
  if (!existsSync(compiled)) return false;
  const compiledMs = statSync(compiled).mtimeMs;
  // The SQL of the database is compiled with its code.
  const sources = ["src", "migrations", "functions", "grants"].map((part) => join(repository, folder, part));
  return sources.every((source) => !existsSync(source) || newestOf(source) < compiledMs);
}
