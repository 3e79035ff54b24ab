import { rmSync } from "node:fs";
import { join } from "node:path";
import { consoleFolder, ensureConsole } from "@lockstep/console";
import { programOf, repository, runNode } from "./run-command.ts";

// In this order: each is compiled against the declarations of those before it.
const packages = ["packages/database", "packages/local-postgres", "packages/engine", "packages/testing"];

for (const folder of packages) {
  rmSync(join(repository, folder, "dist"), { recursive: true, force: true });
  console.log(`Building ${folder}`);
  const code = await runNode([...programOf("typescript", "tsc"), "-p", join(folder, "tsconfig.build.json")]);
  if (code !== 0) {
    process.exitCode = 1;
    break;
  }
}

if (process.exitCode === undefined) {
  console.log("Building packages/console");
  rmSync(consoleFolder, { recursive: true, force: true });
  await ensureConsole();
}
