import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { newestOf } from "./newest-of.ts";

const repository = fileURLToPath(new URL("../../../../", import.meta.url));
// Each against the declarations of those before it.
const packages = ["packages/database", "packages/engine", "packages/server"];

/**
 * Compiles the packages that Next loads, when they are not or have changed since. An application of yours has them from
 * npm, compiled.
 */
export async function ensurePackages(): Promise<void> {
  if (packages.every(isCompiled)) return;
  process.stdout.write("Compiling the packages of Lockstep\n");
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  for (const folder of packages) {
    const project = join(repository, folder, "tsconfig.build.json");
    const { status } = spawnSync(process.execPath, [tsc, "-p", project], { stdio: "inherit" });
    if (status !== 0) throw new Error(`${folder} does not compile: see above.`);
  }
}

function isCompiled(folder: string): boolean {
  const compiled = join(repository, folder, "dist", "index.js");
  return existsSync(compiled) && newestOf(join(repository, folder, "src")) < statSync(compiled).mtimeMs;
}
