// In real time: whole processes, with signals and pipes.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { cliProgram, spawned } from "./testing/spawn-cli.ts";

const db = testDatabase();
const jobs = new JobFactory(db);

function start(program: string, argv: readonly string[], env: Record<string, string>) {
  const cli = spawned(program, argv, env);
  onTestFinished(() => void cli.child.kill("SIGKILL"));
  return cli;
}

function startCli(argv: readonly string[], env: Record<string, string> = { DATABASE_URL: db.url }) {
  const [program = "", ...rest] = cliProgram;
  return start(program, [...rest, ...argv], env);
}

beforeAll(async () => {
  await jobs.aPipeline("orders", ["read"]);
  await db.query("select lockstep.add_job('orders', '{}', p_owner => 'ada') from generate_series(1, 3000)");
});

test("in a clone that nobody has built, the command runs from the sources, with and without a database", async () => {
  const command = fileURLToPath(new URL("../bin/lockstep.js", import.meta.url));
  const version = await start(process.execPath, [command, "--version"], {}).ended;
  expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/), stderr: "" });
  const listed = await start(process.execPath, [command, "jobs", "list", "--limit", "2", "--jsonl"], {
    DATABASE_URL: db.url,
  }).ended;
  expect(listed).toMatchObject({ code: 0 });
  expect(listed.stdout.trimEnd().split("\n")).toHaveLength(2);
});

test("a command has the database of the .env in its folder, and says so with -v", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-start-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, ".env"), `DATABASE_URL=${db.url}\n`);
  const [program = "", ...rest] = cliProgram;
  expect(await spawned(program, [...rest, "verify", "-v"], {}, folder).ended).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(".env was read: DATABASE_URL\n"),
  });
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends a command with %i", async (signal, code) => {
  const cli = startCli(["jobs", "tail"]);
  await cli.says("Following");
  cli.child.kill(signal);
  expect(await cli.ended).toMatchObject({ code, signal: null, stdout: "" });
});

test("a command that waits for stdin ends with the signal too", async () => {
  const cli = startCli(["jobs", "add", "orders", "-", "--debug"]);
  cli.child.stdin?.write('{"order": 1}\n');
  // It needs a second value, or the end, before it knows whether there are several.
  await cli.says("reading stdin");
  cli.child.kill("SIGINT");
  expect(await cli.ended).toMatchObject({ code: 130, stdout: "" });
});

test("a pipe that is closed early ends it quietly, however much there was to say", async () => {
  const line = cliProgram.map((word) => `'${word}'`).join(" ");
  const script = `${line} jobs tail --after start | head -2; echo "code \${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await start("bash", ["--norc", "-c", script], { DATABASE_URL: db.url }).ended;
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain("added");
  expect(lines[2]).toBe("code 0");
  expect(stderr).toMatch(/^Following .*\n$/);
});

test("what was said is whole when the process ends, also through a pipe", async () => {
  const { code, stdout } = await startCli(["migrate", "--sql"], {}).ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/\ncommit;\n\nselect lockstep\.create_partitions\(\);\n$/);
});

describe("a server that cannot listen says why and ends with 2", () => {
  test("where its port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await startCli(["serve", "--port", String(port)]).ended;
    expect(stderr).toContain(`Port ${port} of 127.0.0.1 is taken`);
    expect(code).toBe(2);
  });

  test("where others could reach it and it has no tokens", async () => {
    const { code, stderr } = await startCli(["serve", "--host", "0.0.0.0", "--port", "0"]).ended;
    expect(stderr).toContain("so it does not listen on 0.0.0.0.");
    expect(code).toBe(2);
  });
});

test("a worker ends with its process although a handler hears no signal, and says so", async () => {
  const pipelines = fileURLToPath(new URL("./testing/deaf-pipeline.ts", import.meta.url));
  const cli = startCli(["work", "--pipelines", pipelines, "--drain-timeout", "0s", "--verbose"]);
  await cli.says("working on deaf/hold");
  await expect
    .poll(() => db.query("select from lockstep.pipelines where name = 'deaf'"), { timeout: 20_000 })
    .toHaveLength(1);
  await db.query("select lockstep.add_job('deaf', '{}')");
  await cli.says("attempt 1");
  const [job] = await db.call<{ id: string }>("list_jobs", { p_filter: { pipeline: "deaf" } });
  // Whole, so that `lockstep jobs show` takes it.
  await cli.says(`  ${job?.id}  `);
  cli.child.kill("SIGTERM");
  const { code, stderr } = await cli.ended;
  expect(stderr).toMatch(
    /1 handler did not stop when told to: released, and ended with this process\nstopped\n$/,
  );
  expect(code).toBe(0);
  expect(await db.call("list_jobs", { p_filter: { pipeline: "deaf" } })).toMatchObject([
    { status: "pending", attempt: 0 },
  ]);
});
