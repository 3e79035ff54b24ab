import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const home = "/usr/lib/postgresql";
// From here on pg_stat_statements counts what was compiled.
const oldest = 15;

/** The folder of the newest PostgreSQL on this machine that compiles plans (JIT), as Debian installs it; null without one. */
export function findPostgresWithJit(): string | null {
  const majors = existsSync(home) ? readdirSync(home).map(Number) : [];
  const folders = majors
    .filter((major) => major >= oldest)
    .sort((one, other) => other - one)
    .map((major) => join(home, `${major}`));
  const parts = ["bin/initdb", "bin/postgres", "lib/llvmjit.so", "lib/pg_stat_statements.so"];
  return folders.find((folder) => parts.every((part) => existsSync(join(folder, part)))) ?? null;
}
