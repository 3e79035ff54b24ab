import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages } from "../build/published-packages.ts";
import { repository } from "../run-command.ts";
import { readManifest } from "./manifest.ts";
import { originOf, withSection, withVersion } from "./with-version.ts";

/** Gives every package one version: in the manifests, the lockfile, the engine's code and the changelog. */
export function setVersion(version: string, day: string): void {
  const { workspaces } = readManifest(".") as unknown as { workspaces: string[] };
  const ours = workspaces.map((folder) => readManifest(folder).name);
  for (const folder of [".", ...workspaces]) {
    const manifest = withVersion(readManifest(folder), version, ours);
    const origin = publishedPackages.includes(folder) ? originOf(folder) : {};
    write(join(folder, "package.json"), asJson({ ...manifest, ...origin }));
  }
  const lock = JSON.parse(read("package-lock.json"));
  lock.version = version;
  for (const folder of ["", ...workspaces])
    lock.packages[folder] = withVersion(lock.packages[folder], version, ours);
  write("package-lock.json", asJson(lock));
  const engine = "packages/engine/src/engine.ts";
  write(engine, read(engine).replace(/(engineVersion = ")[^"]+/, `$1${version}`));
  write("CHANGELOG.md", withSection(read("CHANGELOG.md"), version, day));
}

function read(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}

function write(path: string, text: string): void {
  writeFileSync(join(repository, path), text);
}

function asJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
