import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { publishedPackages } from "../build/published-packages.ts";
import { repository } from "../run-command.ts";
import { publishOrder, readManifest } from "./manifest.ts";
import { releaseProblems } from "./release-problems.ts";
import { repositoryUrl } from "./repository-url.ts";
import { originOf, withSection, withVersion } from "./with-version.ts";

const read = (path: string) => readFileSync(join(repository, path), "utf8");

test("a new version reaches what is ours, exactly or from it on, and nothing else", () => {
  const manifest = {
    name: "@lockstep/cli",
    version: "0.1.0",
    dependencies: { "@lockstep/server": "^0.1.0", zod: "^4.6.7" },
    devDependencies: { lockstep: "0.1.0", pg: "0.1.0" },
  };
  expect(withVersion(manifest, "0.2.0", ["@lockstep/server", "lockstep"])).toEqual({
    name: "@lockstep/cli",
    version: "0.2.0",
    dependencies: { "@lockstep/server": "^0.2.0", zod: "^4.6.7" },
    devDependencies: { lockstep: "0.2.0", pg: "0.1.0" },
  });
});

test("each package is published after those that it needs", () => {
  const order = publishOrder();
  expect([...order].sort()).toEqual([...publishedPackages].sort());
  const names = order.map((folder) => readManifest(folder).name);
  for (const [index, folder] of order.entries()) {
    const { dependencies, peerDependencies } = readManifest(folder);
    const needed = Object.keys({ ...dependencies, ...peerDependencies });
    expect(needed.filter((name) => names.includes(name) && names.indexOf(name) > index)).toEqual([]);
  }
});

describe("before a release", () => {
  const manifest = { name: "lockstep", version: "0.2.0" };
  const changelog = "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-01-01\n\n- Something.\n";
  const ready = { gitStatus: "", changelog, manifests: [manifest, manifest] };

  test("nothing is wrong with a clean tree, a section of the changelog and one version", () => {
    expect(releaseProblems(ready)).toEqual([]);
  });

  test.each([
    [{ gitStatus: " M README.md\n?? new.ts\n" }, "The tree has 2 changes"],
    [{ manifests: [manifest, { ...manifest, version: "0.1.0" }] }, "several versions, 0.2.0 and 0.1.0"],
    [{ changelog: "## [Unreleased]\n\n- Something.\n" }, "no section [0.2.0]"],
    [{ changelog: `${withSection(changelog, "0.2.0", "today")}` }, "says nothing under [0.2.0]"],
  ])("%j is told of", (change, sentence) => {
    const problems = releaseProblems({ ...ready, ...change });
    expect(problems).toEqual([expect.stringContaining(sentence)]);
  });

  test("what was not released yet comes under the version", () => {
    const before = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Something.\n";
    expect(withSection(before, "0.2.0", "2026-01-01")).toBe(
      "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-01-01\n\n### Added\n\n- Something.\n",
    );
  });
});

test("the engine's code says the version of its manifest", () => {
  const { version } = readManifest("packages/engine");
  expect(read("packages/engine/src/engine.ts")).toContain(`const engineVersion = "${version}";`);
});

describe.each(publishedPackages)("%s, which npm shows to people,", (folder) => {
  test("says where it comes from by the one address of the repository", () => {
    expect(readManifest(folder)).toMatchObject(originOf(folder));
  });

  test("has a page whose links work outside of the repository too", () => {
    const page = read(join(folder, "README.md"));
    const links = [...page.matchAll(/\]\(([^)#][^)]*)\)/g)].map(([, target = ""]) => target);
    expect(links.filter((target) => !target.startsWith("https://"))).toEqual([]);
    // A page of ours is linked, not only named.
    expect(page.match(/`docs\/[\w/-]+\.md`/g)).toBeNull();
    const start = `${repositoryUrl}/blob/main/`;
    const files = links.filter((target) => target.startsWith(repositoryUrl) && target !== repositoryUrl);
    const lost = files.filter(
      (target) => !target.startsWith(start) || !existsSync(join(repository, target.slice(start.length))),
    );
    expect(lost).toEqual([]);
  });
});
