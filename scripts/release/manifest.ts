import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages } from "../build/published-packages.ts";
import { repository } from "../run-command.ts";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly [field: string]: unknown;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(repository, folder, "package.json"), "utf8"));
}

/** The folders of what is published, each after those that it needs: whoever installs one while it comes finds the others. */
export function publishOrder(): string[] {
  const folders = new Map(publishedPackages.map((folder) => [readManifest(folder).name, folder]));
  const order = new Set<string>();
  const visit = (folder: string) => {
    const { dependencies, peerDependencies } = readManifest(folder);
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      const needed = folders.get(name);
      if (needed !== undefined && !order.has(needed)) visit(needed);
    }
    order.add(folder);
  };
  for (const folder of publishedPackages) visit(folder);
  return [...order];
}
