import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { testDatabase } from "@lockstep/test-support";
import { afterAll, describe, expect, onTestFinished, type TestContext, test } from "vitest";
import { freePort } from "../../packages/local-postgres/src/free-port.ts";
import { repository } from "../../scripts/run-command.ts";
import type { PackedPackages } from "./packed-packages.ts";

const run = promisify(execFile);

// biome-ignore lint/style/noProcessEnv: npm's own settings are in it.
const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };

/** A Next application with a worker in its server and a route that adds, installed once and built in two ways. */
export function nextBuildsWork(packages: PackedPackages): void {
  describe("in Next.js", () => {
    const db = testDatabase();
    let project: string | null = null;
    afterAll(() => project && rm(project, { recursive: true, force: true }));

    async function build(context: TestContext, config: object): Promise<string> {
      if (project === null) {
        const folder = await mkdtemp(join(tmpdir(), "lockstep-next-"));
        project = folder;
        await cp(join(repository, "test/packaging/next-app"), folder, { recursive: true });
        await writeFile(join(folder, "package.json"), '{ "private": true }\n');
        const frameworks = await versionsOf("next", "react", "react-dom");
        const ours = packages.tarballs("lockstep", "@lockstep/database");
        await packages.installInto(folder, context, [...frameworks, ...ours]);
      }
      const settings = { ...config, turbopack: { root: project } };
      await writeFile(join(project, "next.config.mjs"), `export default ${JSON.stringify(settings)};\n`);
      await run(process.execPath, [nextOf(project), "build"], { cwd: project, env });
      return project;
    }

    /** The folder that `output: "standalone"` makes, elsewhere: nothing around it can be looked up. */
    async function apart(built: string): Promise<string> {
      const alone = await mkdtemp(join(tmpdir(), "lockstep-standalone-"));
      onTestFinished(() => rm(alone, { recursive: true, force: true }));
      await cp(join(built, ".next/standalone"), alone, { recursive: true, verbatimSymlinks: true });
      return alone;
    }

    /** Starts a server on an empty database, has its route add a job, and waits for the result and a heartbeat. */
    async function greets(cwd: string, args: string[]): Promise<void> {
      await db.query("drop schema if exists lockstep cascade");
      const port = String(await freePort());
      const server = spawn(process.execPath, args, {
        cwd,
        env: { ...env, DATABASE_URL: db.url, PORT: port, HOSTNAME: "127.0.0.1" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let said = "";
      server.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      onTestFinished(() => void server.kill("SIGKILL"));
      const ended = once(server, "close");
      for await (const line of createInterface({ input: server.stdout })) if (line.includes("Ready")) break;
      server.stdout.resume();
      const answer = await fetch(`http://127.0.0.1:${port}/greet`, {
        method: "POST",
        body: JSON.stringify({ name: "Ada" }),
      });
      expect(await answer.text(), said).toBe('{"text":"Hello, Ada"}');
      const renewed = () => db.query("select 1 from lockstep.workers where heartbeat_at > started_at");
      await expect.poll(renewed, { timeout: 60_000 }).toHaveLength(1);
      server.kill("SIGTERM");
      await ended;
    }

    test("Lockstep is part of the bundle, in the project and in a standalone folder", async (context) => {
      const built = await build(context, { output: "standalone" });
      await greets(built, [nextOf(built), "start", "--hostname", "127.0.0.1"]);
      const alone = await apart(built);
      await expect(readFile(join(alone, "node_modules/lockstep/package.json"))).rejects.toThrow("ENOENT");
      await greets(alone, ["server.js"]);
    }, 300_000);

    test("Lockstep is left out of the bundle, and the standalone folder has all of its files", async (context) => {
      const built = await build(context, { output: "standalone", serverExternalPackages: ["lockstep"] });
      const alone = await apart(built);
      await readFile(join(alone, "node_modules/lockstep/package.json"));
      await greets(alone, ["server.js"]);
    }, 300_000);
  });
}

/** As the application `entries` asks for them. */
async function versionsOf(...names: string[]): Promise<string[]> {
  const manifest = await readFile(join(repository, "apps/entries/package.json"), "utf8");
  const { dependencies } = JSON.parse(manifest);
  return names.map((name) => `${name}@${dependencies[name]}`);
}

function nextOf(project: string): string {
  return join(project, "node_modules/next/dist/bin/next");
}
