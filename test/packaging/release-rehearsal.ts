import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { publishOrder, readManifest } from "../../scripts/release/manifest.ts";
import { repository } from "../../scripts/run-command.ts";

const run = promisify(execFile);

/** Of what the test file has built. */
export function releaseCanBeRehearsed(): void {
  test("`npm run release -- --dry-run` packs, verifies and says in which order it would publish what", async () => {
    const { stdout, stderr } = await run(
      "npm",
      ["run", "--silent", "release", "--", "--dry-run", "--built"],
      {
        cwd: repository,
        // Whoever works on the repository has changes and no section of the changelog: it says so, and ends with 1.
      },
    ).catch((error: { stdout: string; stderr: string }) => error);
    const published = stdout.split("\n").flatMap((line) => {
      const [, file] = /^npm publish (\S+) --provenance --access public {3}\(\d+ KB\)$/.exec(line) ?? [];
      return file === undefined ? [] : [file];
    });
    const expected = publishOrder().map((folder) => {
      const { name, version } = readManifest(folder);
      return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
    });
    expect(published).toEqual(expected);
    expect(stderr).not.toMatch(/is named and missing|is for tests|which is missing/);
  }, 240_000);
}
