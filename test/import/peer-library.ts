import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { benchFolder } from "../../bench/src/machine/bench-folder.ts";
import { npmInstall } from "../../bench/src/machine/npm-install.ts";
import { overrides, peerVersions } from "../../bench/src/machine/peers.ts";

/**
 * A real queue, of the version that bench measures. It is installed outside the workspaces, the first time: it asks for a newer Node than
 * everything else here, although it runs on this one.
 */
export async function peerLibrary<Library>(name: "pg-boss" | "graphile-worker"): Promise<Library> {
  const version = peerVersions[name];
  const folder = join(benchFolder, `${name}-${version}`);
  if (!existsSync(folder)) await installInto(folder, { [name]: version });
  const entry = createRequire(join(folder, "package.json")).resolve(name);
  return await import(/* @vite-ignore */ pathToFileURL(entry).href);
}

/** Two test files may come at once: each installs in a place of its own, and the first one counts. */
async function installInto(folder: string, dependencies: Record<string, string>): Promise<void> {
  const own = `${folder}.${process.pid}`;
  await npmInstall(own, { dependencies, overrides });
  await rename(own, folder).catch(async (error: unknown) => {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
}
