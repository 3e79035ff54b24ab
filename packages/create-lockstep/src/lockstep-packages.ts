import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The packages of Lockstep that a project needs, with the version or the tarball to install. */
export function lockstepPackages(packagesFrom: string | null): Record<string, string> {
  if (packagesFrom === null) {
    const { version } = ownManifest();
    const names = ["@lockstep/cli", "@lockstep/local-postgres", "lockstep"];
    return Object.fromEntries(names.map((name) => [name, `^${version}`]));
  }
  const folder = resolve(packagesFrom);
  const found: Record<string, string> = {};
  // All of them: what one needs of another is in no registry either.
  for (const file of readdirSync(folder).sort()) {
    const [, name, isPackage] = /^lockstep-(?:([a-z-]+)-)?(\d+\.\d+\.\d+).*\.tgz$/.exec(file) ?? [];
    if (isPackage === undefined) continue;
    found[name === undefined ? "lockstep" : `@lockstep/${name}`] = `file:${join(folder, file)}`;
  }
  if (found.lockstep === undefined || found["@lockstep/cli"] === undefined) {
    throw new Error(`${packagesFrom} holds no tarballs of lockstep and @lockstep/cli.`);
  }
  return found;
}

/** It lies at the same place from src and from dist. */
function ownManifest(): { version: string } {
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
}
