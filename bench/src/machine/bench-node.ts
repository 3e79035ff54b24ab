import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { benchFolder } from "./bench-folder.ts";
import { npmInstall } from "./npm-install.ts";

/** The Node that contenders run on: one for all, so that only the queues differ. */
export interface BenchNode {
  readonly path: string;
  readonly args: readonly string[];
  readonly version: string;
}

const wanted = "24.21.0";
// A peer may call its driver in a way that the driver will refuse one day; that is not what we look at.
const fromSource = ["--conditions=@lockstep/source", "--no-deprecation"];

/** This process's own. */
export function ownNode(): BenchNode {
  const args = readsTypeScript(process.versions.node) ? fromSource : [...fromSource, "--import", "tsx"];
  return { path: process.execPath, args, version: process.versions.node };
}

/** A newer one, installed for bench alone, where ours is too old for the peers. */
export async function newNode(): Promise<BenchNode> {
  if (readsTypeScript(process.versions.node)) return ownNode();
  const folder = join(benchFolder, "node24");
  const packageName = `node-${process.platform}-${process.arch}`;
  await npmInstall(folder, { dependencies: { [packageName]: wanted } });
  const path = join(folder, "node_modules", packageName, "bin", "node");
  const version = execFileSync(path, ["--version"], { encoding: "utf8" }).trim().slice(1);
  return { path, args: fromSource, version };
}

/** Which is also new enough for every peer. */
function readsTypeScript(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}
