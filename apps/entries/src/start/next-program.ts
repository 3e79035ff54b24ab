import { existsSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Environment } from "@lockstep/app-kit/environment";
import { alone } from "./alone.ts";
import { ensurePackages } from "./ensure-packages.ts";
import { newestOf } from "./newest-of.ts";
import { finishProgram, type ProgramPlace, runProgram } from "./run-program.ts";

const folder = fileURLToPath(new URL("../../", import.meta.url));
// All that a build has in it.
const sources = [
  ...[
    "app",
    "components",
    "hooks",
    "public",
    "src",
    "proxy.ts",
    "instrumentation.ts",
    "next.config.js",
    "package.json",
  ],
  ...["../../packages/app-kit/src/environment", "../../packages/console/src/theme/tokens.css"],
];
// Next has no file of its own that comes last, and a build may be ended before it is whole.
const mark = join(folder, ".next", "whole-build");
const program = join(dirname(createRequire(import.meta.url).resolve("next/package.json")), "dist/bin/next");

export function nextProgram(mode: "start" | "dev"): readonly string[] {
  return [program, mode, "--hostname", "127.0.0.1"];
}

/** Whether there is a production build of the pages as they are now. */
function isBuilt(): boolean {
  if (!existsSync(mark)) return false;
  const builtMs = statSync(mark).mtimeMs;
  return sources.every((part) => newestOf(join(folder, part)) < builtMs);
}

/** The production build, and the packages that it needs. One process makes it; others wait for it. */
export async function buildPages(options: { unlessDone?: boolean } = {}): Promise<void> {
  await alone(join(folder, ".lockstep", "build-of-pages"), async () => {
    await ensurePackages();
    if (options.unlessDone && isBuilt()) return;
    process.stdout.write("Building the pages\n");
    const startedAt = new Date();
    rmSync(mark, { force: true });
    // biome-ignore lint/style/noProcessEnv: handed on as it is.
    await finishProgram([program, "build"], placeFor(process.env));
    writeFileSync(mark, "");
    // What was changed since then is not in it.
    utimesSync(mark, startedAt, startedAt);
  });
}

/** Runs the web server until it ends; resolves to the exit code. */
export async function serveNext(mode: "start" | "dev", env: Environment): Promise<number> {
  return (await runProgram(nextProgram(mode), placeFor(env))).code;
}

function placeFor(env: Environment): ProgramPlace {
  return { folder, env: { ...env, NEXT_TELEMETRY_DISABLED: "1" } };
}
