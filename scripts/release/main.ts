import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packArguments } from "../build/published-packages.ts";
import { readFlags } from "../read-flags.ts";
import { repository, runCommand, runNode } from "../run-command.ts";
import { publishOrder, readManifest } from "./manifest.ts";
import { releaseProblems } from "./release-problems.ts";
import { setVersion } from "./set-version.ts";
import { tarballProblems } from "./tarball-problems.ts";

// npm run release -- --version 0.2.0, commit, npm run release -- --dry-run, then without it where npm knows who publishes.
interface Packed {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

const values = readFlags("npm run release --", {
  version: { type: "string", about: "gives all packages this version, and publishes nothing" },
  "dry-run": { type: "boolean", about: "does everything but publish, and says what would be published" },
  built: { type: "boolean", about: "with --dry-run: takes what was built last" },
});
const folder = join(repository, ".lockstep", "release");

if (values.version === undefined) process.exitCode = await release(values["dry-run"] === true);
else setVersionTo(values.version);

function setVersionTo(version: string): void {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    throw new Error(`"${version}" is no version such as 0.2.0.`);
  setVersion(version, new Date().toISOString().slice(0, 10));
  console.log(`All packages have version ${version}. Look at CHANGELOG.md, and commit.`);
}

async function release(isDry: boolean): Promise<number> {
  const order = publishOrder();
  const problems = releaseProblems({
    gitStatus: execFileSync("git", ["status", "--porcelain"], { cwd: repository, encoding: "utf8" }),
    changelog: readFileSync(join(repository, "CHANGELOG.md"), "utf8"),
    manifests: order.map(readManifest),
  });
  if (problems.length > 0 && !isDry) return refuse(problems);
  if (!isDry || !values.built) {
    const built = await runNode([
      "--conditions=@lockstep/source",
      "--import",
      "tsx",
      "scripts/build/main.ts",
    ]);
    if (built !== 0) return built;
  }
  const packed = pack();
  const inOrder = order.map((one) => ({ folder: one, ...packed.get(readManifest(one).name) }));
  for (const { folder: one, name = one, files = [] } of inOrder) {
    const paths = files.map(({ path }) => path);
    problems.push(...tarballProblems(one, paths).map((problem) => `${name}: ${problem}.`));
  }
  if (problems.length > 0 && !isDry) return refuse(problems);
  for (const { filename = "", size = 0 } of inOrder) {
    const args = ["publish", join(folder, filename), "--provenance", "--access", "public"];
    if (isDry)
      console.log(`npm publish ${filename} --provenance --access public   (${Math.ceil(size / 1_000)} KB)`);
    else if ((await runCommand("npm", args)) !== 0) return 1;
  }
  return problems.length > 0 ? refuse(problems) : 0;
}

function pack(): Map<string, Packed> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const printed = execFileSync("npm", [...packArguments(folder), "--json"], {
    cwd: repository,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 26,
  });
  return new Map((JSON.parse(printed) as Packed[]).map((one) => [one.name, one]));
}

function refuse(problems: readonly string[]): number {
  for (const problem of problems) console.error(problem);
  return 1;
}
