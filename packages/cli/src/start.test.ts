// In real time: whole processes, with signals and pipes.
import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeAll, expect, onTestFinished, test } from "vitest";
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
  expect(stdout).toMatch(/\ncommit;\n$/);
});
