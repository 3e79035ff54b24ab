import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { benchFolder } from "./bench-folder.ts";
import { npmInstall } from "./npm-install.ts";

export const peerVersions = {
  "graphile-worker": "0.18.0",
  "pg-boss": "12.38.0",
  bullmq: "6.7.0",
  ioredis: "5.11.1",
  "@dbos-inc/dbos-sdk": "5.3.0",
  pg: "8.23.1",
} as const;

// pg-boss asks for a version of its recurrence rules that the registry does not have; bench has no schedules.
export const overrides = { "rrule-temporal": "2.2.7" };

/** Installs the peers outside the workspaces; the answer is a file that imports from there. */
export async function installPeers(): Promise<string> {
  const folder = join(benchFolder, "peers");
  await npmInstall(folder, { dependencies: peerVersions, overrides });
  const loader = join(folder, "load.mjs");
  await writeFile(loader, "export const load = (packageName) => import(packageName);\n");
  // A program finds the packages of the folder that it is in.
  await cp(fileURLToPath(new URL("../../cold", import.meta.url)), join(folder, "cold"), { recursive: true });
  return loader;
}
