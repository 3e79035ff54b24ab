// The packed packages on another runtime than Node; scripts/test/on-runtime.ts says which and where it is. In real time.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testDatabase } from "@lockstep/test-support";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { repository } from "../../scripts/run-command.ts";
import { PackedPackages } from "../packaging/packed-packages.ts";

// biome-ignore lint/style/noProcessEnv: npm's own settings are in it.
const env = process.env;
const [runtime = "", ...flags] = JSON.parse(env.LOCKSTEP_TEST_RUNTIME ?? "[]") as string[];
const packages = PackedPackages.forThisFile();
const db = testDatabase();

// Generous: a busy machine is slow.
const soon = { timeout: 60_000, interval: 50 };

beforeAll(async () => {
  if (runtime === "") throw new Error("Use `npm run test:bun` or `npm run test:deno`.");
  await db.query("drop schema lockstep cascade");
});

/** Comes back at once; `ended` with all that was printed and the exit code. */
function start(args: readonly string[]) {
  const child = spawn(runtime, [...flags, ...args], {
    cwd: packages.folder,
    env: { ...env, DATABASE_URL: db.url, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      printed[name] += text;
    });
  }
  return { child, ended: once(child, "close").then(([code]) => ({ ...printed, code })) };
}

const heartbeat = async () => {
  const [row] = await db.query<{ at: Date }>("select max(heartbeat_at) as at from lockstep.workers");
  return row?.at.getTime() ?? 0;
};

test("an application migrates, adds, works, keeps its lease while it stands still, serves and stops", async (context) => {
  await packages.install(context);
  await copyFile(join(repository, "test/runtimes/program.mjs"), join(packages.folder, "program.mjs"));
  const { ended } = start(["program.mjs"]);
  const place = (name: string) => join(packages.folder, name);
  await Promise.race([
    expect.poll(() => existsSync(place("standing")), soon).toBe(true),
    ended.then((end) => expect(end).toBe("standing")),
  ]);
  // Twice: a first one may have been on its way.
  for (const _ of [1, 2]) {
    const before = await heartbeat();
    await expect.poll(heartbeat, soon).toBeGreaterThan(before);
  }
  await writeFile(place("enough"), "");
  const { stdout, stderr, code } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({ stood: true, attempts: 1, text: "Hello, Ada" });
  expect(await db.query("select 1 from lockstep.workers")).toEqual([]);
});

test("the command migrates, adds and works on pipelines in TypeScript, and ends at a signal", async (context) => {
  await packages.install(context);
  await writeFile(
    join(packages.folder, "pipelines.ts"),
    `import { definePipeline } from "lockstep";
     export const typed = definePipeline<{ name: string }>("typed").stage("one", ({ payload }) => payload.name as string);`,
  );
  const lockstep = (...argv: string[]) => start(["node_modules/@lockstep/cli/bin/lockstep.js", ...argv]);
  expect(await lockstep("migrate").ended).toMatchObject({ code: 0 });
  const worker = lockstep("work");
  const known = () => db.query("select 1 from lockstep.pipelines where name = 'typed'");
  await expect.poll(known, soon).toHaveLength(1);
  expect(await lockstep("jobs", "add", "typed", '{"name": "Ada"}').ended).toMatchObject({ code: 0 });
  const done = () =>
    db.query(
      "select 1 from lockstep.finished_jobs f join lockstep.pipelines p on p.id = f.pipeline_id where p.name = 'typed'",
    );
  await expect.poll(done, soon).toHaveLength(1);
  worker.child.kill("SIGTERM");
  expect(await worker.ended).toMatchObject({ code: 0 });
});
