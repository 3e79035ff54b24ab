import type { Manifest } from "./manifest.ts";

export interface ReleaseState {
  /** What `git status --porcelain` prints. */
  readonly gitStatus: string;
  readonly changelog: string;
  readonly manifests: readonly Manifest[];
}

/** What must be done before a release, a sentence each; none when it may begin. */
export function releaseProblems({ gitStatus, changelog, manifests }: ReleaseState): string[] {
  const problems: string[] = [];
  const changed = gitStatus.split("\n").filter((line) => line !== "").length;
  if (changed > 0)
    problems.push(`The tree has ${changed} changes that are not committed: commit or remove them.`);
  const versions = [...new Set(manifests.map(({ version }) => version))];
  const [version = ""] = versions;
  if (versions.length > 1) {
    problems.push(
      `The packages have several versions, ${versions.join(" and ")}: npm run release -- --version X.Y.Z gives them one.`,
    );
  }
  const [, section] = changelog.split(`\n## [${version}]`);
  const [body = ""] = section?.split(/\n## \[/) ?? [];
  if (section === undefined) {
    problems.push(
      `CHANGELOG.md has no section [${version}]: npm run release -- --version ${version} makes one of what is under Unreleased.`,
    );
  } else if (!body.includes("\n- ")) {
    problems.push(`CHANGELOG.md says nothing under [${version}].`);
  }
  return problems;
}
