import { rmSync } from "node:fs";
import { join } from "node:path";
import { ensureConsole } from "@lockstep/console";
import { compiledPackages } from "./published-packages.ts";
import { programOf, repository, runNode } from "./run-command.ts";

for (const folder of compiledPackages) {
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
  // Not removed first: somebody may be looking at it, and one as new as its source is the same.
  await ensureConsole();
}
