import type { Manifest } from "./manifest.ts";
import { repositoryUrl } from "./repository-url.ts";

type Versions = Record<string, string> | undefined;

const lists = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/** A manifest, or its part of the lockfile, with a new version of ours; exactly or from it on, as it was asked for before. */
export function withVersion<M extends Partial<Manifest>>(
  manifest: M,
  version: string,
  ours: readonly string[],
): M {
  const changed = lists.flatMap((list) => {
    const versions = manifest[list] as Versions;
    if (versions === undefined) return [];
    const raised = Object.entries(versions).map(([name, wanted]) => [
      name,
      ours.includes(name) ? `${wanted.startsWith("^") ? "^" : ""}${version}` : wanted,
    ]);
    return [[list, Object.fromEntries(raised)]];
  });
  const own = manifest.version === undefined ? {} : { version };
  return { ...manifest, ...own, ...Object.fromEntries(changed) };
}

/** What a published package says of where it comes from. */
export function originOf(folder: string): Pick<Manifest, "homepage" | "bugs" | "repository"> {
  return {
    homepage: `${repositoryUrl}/tree/main/${folder}#readme`,
    bugs: `${repositoryUrl}/issues`,
    repository: { type: "git", url: `git+${repositoryUrl}.git`, directory: folder },
  };
}

/** The changelog with what was not released yet under the version of today. */
export function withSection(changelog: string, version: string, day: string): string {
  return changelog.replace("## [Unreleased]\n", `## [Unreleased]\n\n## [${version}] - ${day}\n`);
}
