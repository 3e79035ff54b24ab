import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/**
 * Joins the compiled modules of a package into one file for each entry, and one for each part that is loaded only when it is
 * needed. A process that starts looks up, reads and links every file on its own: for two hundred of them that took longer than
 * everything else a first add does.
 */
export async function joinModules(compiled: string, entries: readonly string[]): Promise<void> {
  const { metafile } = await build({
    entryPoints: entries.map((entry) => join(compiled, entry)),
    outdir: compiled,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: "warning",
  });
  const kept = new Set(Object.keys(metafile.outputs).map((path) => join(process.cwd(), path)));
  for (const path of readdirSync(compiled, { recursive: true, encoding: "utf8" })) {
    const file = join(compiled, path);
    if (/\.js(\.map)?$/.test(file) && !kept.has(file)) rmSync(file);
  }
}
