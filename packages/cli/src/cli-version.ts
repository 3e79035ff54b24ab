import { readFileSync } from "node:fs";

/** The version of this package; read from its manifest, which lies at the same place from src and from dist. */
export function cliVersion(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}
