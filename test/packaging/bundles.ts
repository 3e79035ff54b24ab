import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { testDatabase } from "@lockstep/test-support";
import { build } from "esbuild";
import { describe, expect, onTestFinished, test } from "vitest";
import webpack from "webpack";
import { programOf, repository } from "../../scripts/run-command.ts";
import type { PackedPackages } from "./packed-packages.ts";

const run = promisify(execFile);

/** Adds a job, works on it, and stays until a heartbeat has come from its thread. */
const programIn = (schema: string) => `
import { createEngine, definePipeline } from "lockstep";
async function main() {
  const greet = definePipeline("greet").stage("hello", ({ payload }) => ({ text: "Hello, " + payload.name }));
  const engine = createEngine({
    databaseUrl: process.env.DATABASE_URL, schema: "${schema}", pipelines: [greet], leaseMs: 6_000, heartbeatIntervalMs: 500,
  });
  engine.on("engine.error", ({ error }) => { throw error; });
  await engine.migrate();
  await engine.start();
  const { id } = await engine.add(greet, { name: "Ada" });
  const { text } = await engine.result(id, { timeoutMs: 60_000 });
  for (;;) {
    const [worker] = await engine.workers();
    if (worker.heartbeatAt > worker.startedAt) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await engine.stop();
  console.log(text + " and a heartbeat");
}
main().catch((error) => { console.error(error); process.exitCode = 1; });
`;

/** From the program's file into a folder of its own; comes back with the file to run. */
type Bundler = (entry: string, outFolder: string) => Promise<string>;

// pg is CommonJS and asks for Node's modules with require, which an ES module has to be given.
const withRequire = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`;

const bundlers = {
  async "esbuild to CommonJS"(entry: string, outFolder: string) {
    const outfile = join(outFolder, "app.cjs");
    await build({ entryPoints: [entry], bundle: true, platform: "node", format: "cjs", outfile });
    return outfile;
  },
  async "esbuild to ES modules"(entry: string, outFolder: string) {
    const outfile = join(outFolder, "app.mjs");
    const banner = { js: withRequire };
    await build({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", banner, outfile });
    return outfile;
  },
  async Rollup(entry: string, outFolder: string) {
    const plugins = ["node-resolve", "commonjs={ignoreDynamicRequires:true}", "json"];
    const args = [
      ...[
        "--format",
        "es",
        "--dir",
        outFolder,
        "--entryFileNames",
        "app.mjs",
        "--chunkFileNames",
        "[name].mjs",
      ],
      ...plugins.flatMap((plugin) => ["--plugin", plugin]),
    ];
    await run(process.execPath, [...programOf("rollup"), entry, ...args], { cwd: repository });
    return join(outFolder, "app.mjs");
  },
  async webpack(entry: string, outFolder: string) {
    const compiler = webpack({
      mode: "production",
      target: "node",
      entry,
      output: { path: outFolder, filename: "app.cjs" },
    });
    const stats = await promisify(compiler.run.bind(compiler))();
    expect(stats?.toJson({ errors: true }).errors).toEqual([]);
    return join(outFolder, "app.cjs");
  },
  async ncc(entry: string, outFolder: string) {
    await run(process.execPath, [...programOf("@vercel/ncc", "ncc"), "build", entry, "-o", outFolder]);
    return join(outFolder, "index.mjs");
  },
} satisfies Record<string, Bundler>;

/** What people do before they deploy. The bundle runs in a folder without packages: nothing of ours can be looked up there. */
export function bundlesWork(packages: PackedPackages, by: readonly (keyof typeof bundlers)[]): void {
  describe("bundled", () => {
    const db = testDatabase();

    async function worksIn(schema: string, bundle: Bundler): Promise<void> {
      const entry = join(packages.folder, "bundled.mjs");
      await writeFile(entry, programIn(schema));
      const alone = await mkdtemp(join(tmpdir(), "lockstep-bundled-"));
      onTestFinished(() => rm(alone, { recursive: true, force: true }));
      const file = await bundle(entry, alone);
      await db.query("drop schema if exists lockstep cascade");
      // biome-ignore lint/style/noProcessEnv: npm's own settings are in it.
      const env = { ...process.env, DATABASE_URL: db.url };
      const { stdout } = await run(process.execPath, [file], { env, cwd: alone });
      expect(stdout).toBe("Hello, Ada and a heartbeat\n");
    }

    for (const name of by) {
      test(`by ${name}, an application migrates, adds, works and keeps its lease`, async (context) => {
        await packages.install(context);
        await worksIn("lockstep", bundlers[name]);
      }, 180_000);
    }

    for (const name of by.filter((name) => name.startsWith("esbuild"))) {
      test(`by ${name}, it does so in a schema of another name, and touches no other`, async (context) => {
        await packages.install(context);
        await db.query("drop schema if exists my_jobs cascade");
        await worksIn("my_jobs", bundlers[name]);
        expect(await db.query("select status from my_jobs.finished_jobs")).toEqual([{ status: "completed" }]);
        expect(await db.query("select from pg_namespace where nspname = 'lockstep'")).toEqual([]);
      }, 180_000);
    }
  });
}
