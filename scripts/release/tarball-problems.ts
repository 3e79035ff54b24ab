import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { repository } from "../run-command.ts";
import { readManifest } from "./manifest.ts";

/** What is wrong with a package that holds these files, a line each. */
export function tarballProblems(folder: string, paths: readonly string[]): string[] {
  const { main = [], types = [], exports = {}, typesVersions = {}, bin = {} } = readManifest(folder);
  const named = [main, types, exports, typesVersions, bin].flatMap(targetsOf);
  const wanted = [...named.map((target) => target.replace("./", "")), "LICENSE", "README.md"];
  const missing = wanted.filter((target) => !paths.includes(target));
  const tests = paths.filter((path) => /\.test\.|\.snap$|(^|\/)(testing|test-support)\//.test(path));
  const lost = paths
    .filter((path) => path.endsWith(".map"))
    .flatMap((path) => lostSources(folder, path, paths));
  return [
    ...missing.map((path) => `${path} is named and missing`),
    ...tests.map((path) => `${path} is for tests`),
    ...lost.map(({ map, source }) => `${map} leads to ${source}, which is missing`),
  ];
}

/** All files that a part of a manifest points to, under whatever condition. */
function targetsOf(part: unknown): string[] {
  if (typeof part === "string") return [part];
  return typeof part === "object" && part !== null ? Object.values(part).flatMap(targetsOf) : [];
}

function lostSources(folder: string, map: string, paths: readonly string[]) {
  const { sources }: { sources: string[] } = JSON.parse(readFileSync(join(repository, folder, map), "utf8"));
  return sources
    .map((source) => ({ map, source: posix.join(posix.dirname(map), source) }))
    .filter(({ source }) => !paths.includes(source));
}
