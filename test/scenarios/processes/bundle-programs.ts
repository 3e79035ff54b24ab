import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const repository = fileURLToPath(new URL("../../../", import.meta.url));

export interface BundledPrograms<Name extends string> {
  readonly paths: Readonly<Record<Name, string>>;
  remove(): Promise<void>;
}

/** Programs with an engine in one file each: read through a loader, a worker would take five times as long to start. */
export async function bundlePrograms<Name extends string>(
  sources: Readonly<Record<Name, string>>,
  /** What is not bundled, but found where it is installed. */
  external: readonly string[] = ["pg"],
): Promise<BundledPrograms<Name>> {
  // In the repository, where what is not bundled is found.
  await mkdir(join(repository, ".lockstep"), { recursive: true });
  const folder = await mkdtemp(join(repository, ".lockstep/programs-"));
  // They look for the SQL two folders above their code, as packaged-sql.ts does.
  for (const name of ["migrations", "functions", "grants"]) {
    await symlink(join(repository, "packages/database", name), join(folder, name));
  }
  const code = join(folder, "src", "code");
  await build({
    absWorkingDir: repository,
    entryPoints: {
      ...sources,
      "heartbeat-thread": "packages/engine/src/worker/lease/heartbeat-thread.js",
    },
    outdir: code,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@lockstep/source"],
    external: [...external],
    logLevel: "warning",
  });
  const paths = Object.fromEntries(
    Object.keys(sources).map((name) => [name, join(code, `${name}.js`)]),
  ) as Record<Name, string>;
  return { paths, remove: () => rm(folder, { recursive: true, force: true }) };
}
