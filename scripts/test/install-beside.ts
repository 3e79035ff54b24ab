import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository, runCommand, runNode } from "../run-command.ts";

/** A package of npm's in a folder of its own below `.lockstep`, installed once: not a dependency, since only some runs need it. */
export async function installBeside(name: string, packageName: string, version: string): Promise<string> {
  const folder = join(repository, ".lockstep", name);
  const installed = join(folder, "node_modules", packageName);
  if (versionIn(installed) === version) return installed;
  mkdirSync(folder, { recursive: true });
  // With a package.json of its own, npm does not take the folder for a part of the repository.
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const spec = `${packageName}@${version}`;
  const args = ["install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", spec];
  const npm = process.env.npm_execpath;
  const code = npm === undefined ? await runCommand("npm", args) : await runNode([npm, ...args]);
  if (code !== 0) throw new Error(`npm could not install ${spec}.`);
  return installed;
}

function versionIn(folder: string): string | null {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;
  } catch {
    return null;
  }
}
