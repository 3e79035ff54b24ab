import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Environment } from "@lockstep/app-kit/environment";
import { newestOf } from "./newest-of.ts";

const folder = fileURLToPath(new URL("../../", import.meta.url));
// All that a build has in it.
const sources = ["app", "components", "hooks", "src", "../../packages/app-kit/src/environment"];
const program = join(dirname(createRequire(import.meta.url).resolve("next/package.json")), "dist/bin/next");

export function nextProgram(mode: "start" | "dev"): ChildProcessArguments {
  return [program, mode, "--hostname", "127.0.0.1"];
}

type ChildProcessArguments = readonly string[];

/** Whether there is a production build of the pages as they are now. */
export function isBuilt(): boolean {
  const build = join(folder, ".next", "BUILD_ID");
  if (!existsSync(build)) return false;
  const builtMs = statSync(build).mtimeMs;
  return sources.every((part) => newestOf(join(folder, part)) < builtMs);
}

/** The production build. */
export async function buildPages(options: { unlessDone?: boolean } = {}): Promise<void> {
  if (options.unlessDone && isBuilt()) return;
  process.stdout.write("Building the pages\n");
  // biome-ignore lint/style/noProcessEnv: handed on as it is.
  const code = await runNext([program, "build"], process.env);
  if (code !== 0) throw new Error("The pages were not built: see above.");
}

/** Runs Next until it ends, and hands on the signals that this process gets; resolves to the exit code. */
export async function runNext(args: ChildProcessArguments, env: Environment): Promise<number> {
  const child: ChildProcess = spawn(process.execPath, [...args], {
    cwd: folder,
    stdio: "inherit",
    // Out of the terminal's reach: its Ctrl-C would come here and be handed on as well, and the second one ends at once.
    detached: true,
    env: { ...env, NEXT_TELEMETRY_DISABLED: "1" },
  });
  const handOn = (signal: NodeJS.Signals) => child.kill(signal);
  const signals = ["SIGTERM", "SIGINT"] as const;
  for (const signal of signals) process.on(signal, handOn);
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  for (const name of signals) process.off(name, handOn);
  return code ?? (signal === "SIGINT" ? 130 : 143);
}
