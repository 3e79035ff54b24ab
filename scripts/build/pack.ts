// The packages as npm would publish them, for an application that installs them before there is a release.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { repository, runCommand, runNode } from "../run-command.ts";
import { packArguments } from "./published-packages.ts";

const folder = join(repository, ".lockstep", "packages");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const build = await runNode(["--conditions=@lockstep/source", "--import", "tsx", "scripts/build/main.ts"]);
process.exitCode = build === 0 ? await runCommand("npm", [...packArguments(folder), "--silent"]) : build;
if (process.exitCode === 0) console.log(`\nnpm install ${join(folder, "*.tgz")}`);
