import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ensureConsole } from "@lockstep/console";
import { programOf, repository, runNode } from "../run-command.ts";
import { embedHeartbeat } from "./embed-heartbeat.ts";
import { embedSql } from "./embed-sql.ts";
import { finishDeclarations } from "./finish-declarations.ts";
import { joinModules } from "./join-modules.ts";
import { compiledPackages } from "./published-packages.ts";

// What every process loads that adds a job is published in few files.
const finish: Readonly<Record<string, (compiled: string) => Promise<void>>> = {
  async "packages/database"(compiled) {
    await embedSql(compiled);
    await joinModules(compiled, [
      "index.js",
      "internal.js",
      "connecting/connector.js",
      "schema/packaged-sql.js",
    ]);
  },
  async "packages/engine"(compiled) {
    await embedHeartbeat(compiled);
    await joinModules(compiled, ["index.js", "internal.js"]);
  },
};

// Arguments choose packages; the console is built with all of them.
const chosen = process.argv.slice(2);
for (const folder of compiledPackages.filter((one) => chosen.length === 0 || chosen.includes(one))) {
  console.log(`Building ${folder}`);
  if (await compile(folder)) continue;
  process.exitCode = 1;
  break;
}

/** Whole before it takes the place of the last one, which somebody may be using. Beside that place: source maps hold relative paths. */
async function compile(folder: string): Promise<boolean> {
  const compiled = join(repository, folder, `dist.${process.pid}`);
  try {
    return await compileInto(compiled, folder);
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
}

async function compileInto(compiled: string, folder: string): Promise<boolean> {
  const project = join(folder, "tsconfig.build.json");
  const code = await runNode([...programOf("typescript", "tsc"), "-p", project, "--outDir", compiled]);
  if (code !== 0) return false;
  await finish[folder]?.(compiled);
  finishDeclarations(compiled);
  replace(join(repository, folder, "dist"), compiled);
  return true;
}

function replace(place: string, made: string): void {
  // Another build may come between the two.
  for (let times = 0; existsSync(made); times += 1) {
    const old = `${made}.old-${times}`;
    try {
      if (existsSync(place)) renameSync(place, old);
      renameSync(made, place);
    } catch (error) {
      if (times === 10) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

if (process.exitCode === undefined && chosen.length === 0) {
  console.log("Building packages/console");
  // Not removed first: somebody may be looking at it, and one as new as its source is the same.
  await ensureConsole();
}
