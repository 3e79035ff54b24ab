import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runChecks } from "../check/run-checks.ts";
import { repository } from "../run-command.ts";
import { Tally } from "../tally.ts";
import { nearestTests, type Workspace } from "./nearest-tests.ts";
import { runVitest } from "./run-vitest.ts";

// For a look while one works: the checks, and the tests nearest to what is not on main yet. `npm test` has the last word.
// Two minutes of two files at a time.
const seconds = 240;

const tally = new Tally();
await runChecks(tally);
console.log("\nTests");
const { chosen, leftOut } = nearestTests(changedFiles(), testFiles(), readWorkspaces(), seconds);
if (chosen.length > 0) tally.add(await runVitest(chosen));
console.log(`${chosen.length} test files are near to what has changed and were run.`);
if (leftOut.length > 0) {
  console.log(`Left out for time, ${leftOut.length}, such as ${leftOut.slice(0, 3).join(", ")}.`);
}
console.log("Stories over whole processes are run where they have changed themselves: npm test runs all.");
tally.finish();

function git(...args: string[]): string[] {
  return execFileSync("git", args, { cwd: repository, encoding: "utf8" }).split("\n").filter(Boolean);
}

/** Since this branch left main, committed or not; on main, what is not committed. */
function changedFiles(): string[] {
  const [base = "HEAD"] = hasMain() ? git("merge-base", "HEAD", "main") : [];
  return [...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")];
}

function hasMain(): boolean {
  return git("branch", "--list", "main").length > 0;
}

function testFiles(): string[] {
  return git("ls-files", "--cached", "--others", "--exclude-standard", "*.test.ts", "*.test.tsx");
}

function readWorkspaces(): Workspace[] {
  const manifestIn = (folder: string) =>
    JSON.parse(readFileSync(join(repository, folder, "package.json"), "utf8"));
  return manifestIn("").workspaces.map((folder: string) => {
    const { name, dependencies, devDependencies, peerDependencies } = manifestIn(folder);
    return {
      name,
      folder,
      dependencies: Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }),
    };
  });
}
