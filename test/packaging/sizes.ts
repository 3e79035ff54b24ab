import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import type { PackedPackages } from "./packed-packages.ts";
import { addingBundleKb, sizeBudgets } from "./size-budgets.ts";

const program = `
import { createEngine } from "lockstep";
const engine = createEngine({ databaseUrl: process.env.DATABASE_URL });
await engine.add("greet", { name: "Ada" });
`;

export function isWithinBudget(packages: PackedPackages, folder: string, name: string): void {
  test("is no larger than its budget in size-budgets.ts", () => {
    const { packedKb = 0, unpackedKb = 0, files = 0 } = sizeBudgets[folder] ?? {};
    const { size, unpackedSize, entryCount } = packages.packedAs(name);
    expect(size, "bytes packed").toBeLessThanOrEqual(packedKb * 1_000);
    expect(unpackedSize, "bytes unpacked").toBeLessThanOrEqual(unpackedKb * 1_000);
    expect(entryCount, "files").toBeLessThanOrEqual(files);
  });
}

export function addingBundleIsSmall(packages: PackedPackages): void {
  test("a bundle that only adds jobs is no larger than its budget, and has the SQL apart", async (context) => {
    await packages.install(context);
    const entry = join(packages.folder, "adding.mjs");
    await writeFile(entry, program);
    const { outputFiles } = await build({
      entryPoints: [entry],
      bundle: true,
      minify: true,
      splitting: true,
      platform: "node",
      format: "esm",
      outdir: join(packages.folder, "adding"),
      write: false,
    });
    // What is loaded at once; the SQL is imported by whoever migrates.
    const atOnce = outputFiles.filter(({ path }) => !path.includes("packaged-sql"));
    expect(atOnce).toHaveLength(outputFiles.length - 1);
    const bytes = atOnce.reduce((sum, { contents }) => sum + contents.length, 0);
    expect(bytes).toBeLessThanOrEqual(addingBundleKb * 1_000);
  });
}
