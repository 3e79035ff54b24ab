import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { PackedPackages } from "./packed-packages.ts";

const run = promisify(execFile);

/** The first hour: what `npm create lockstep` writes is installed, has no type errors, and runs a job to its end. */
export function createdProjectWorks(packages: PackedPackages): void {
  test("a project of `npm create lockstep` has right types, and its job runs to its end", async (context) => {
    await packages.install(context);
    const place = await mkdtemp(join(tmpdir(), "lockstep-created-"));
    onTestFinished(() => rm(place, { recursive: true, force: true }));
    // As root the embedded server runs as another user, who must be able to enter.
    await chmod(place, 0o755);
    // biome-ignore lint/style/noProcessEnv: npm's own settings are in it.
    const { DATABASE_URL: _ours, ...env } = process.env;
    const create = join(packages.folder, "node_modules", ".bin", "create-lockstep");
    const { stdout: told } = await run(create, ["hello", "--packages-from", packages.folder], { cwd: place });
    expect(told).toContain("npm run jobs:dev");

    const cwd = join(place, "hello");
    const npm = async (...argv: string[]) => (await run("npm", argv, { cwd, env })).stdout;
    await npm("install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline");
    await npm("run", "typecheck");
    const command = join(cwd, "node_modules", ".bin", "lockstep");
    const dev = spawn(command, ["dev", "--jsonl", "--port", "0"], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void dev.kill("SIGKILL"));
    for await (const line of createInterface({ input: dev.stdout })) if (line.includes('"ready"')) break;
    dev.stdout.resume();
    expect(await npm("run", "--silent", "jobs:add", "Grace")).toBe("Hello, Grace Lovelace!\n");
    dev.kill("SIGINT");
    await once(dev, "close");
    expect(dev.exitCode).toBe(0);
  }, 240_000);
}
