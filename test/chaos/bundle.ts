import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const repository = fileURLToPath(new URL("../../", import.meta.url));

export interface Programs {
  readonly worker: string;
  readonly api: string;
  remove(): Promise<void>;
}

/** The programs in one file each: read through a loader, a worker would take five times as long to start. */
export async function bundlePrograms(): Promise<Programs> {
  // In the repository, where what is not bundled is found.
  await mkdir(join(repository, ".lockstep"), { recursive: true });
  const folder = await mkdtemp(join(repository, ".lockstep/chaos-"));
  // They look for the SQL beside the folder of their code.
  for (const name of ["migrations", "functions", "grants"]) {
    await symlink(join(repository, "packages/database", name), join(folder, name));
  }
  await build({
    absWorkingDir: repository,
    entryPoints: {
      worker: "test/chaos/worker-program.ts",
      api: "test/chaos/api-program.ts",
      "heartbeat-thread": "packages/engine/src/runtime/heartbeat-thread.js",
    },
    outdir: join(folder, "code"),
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["source"],
    external: ["pg"],
    logLevel: "warning",
  });
  return {
    worker: join(folder, "code/worker.js"),
    api: join(folder, "code/api.js"),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
