import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { commands } from "./commands.ts";
import { runCli } from "./testing/run-cli.ts";

const db = testDatabase();

test("without a word it shows what there is, examples first", async () => {
  const { code, stdout } = await runCli([]);
  expect(code).toBe(0);
  expect(stdout).toMatchSnapshot();
});

test.each(commands.filter(({ isHidden }) => !isHidden).map(({ name }) => name))(
  "lockstep %s --help starts with examples that run this command",
  async (name) => {
    const { code, stdout } = await runCli([...name.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Examples\n {2}# .+\n {2}/);
    expect(stdout).toContain(`lockstep ${name}`);
    expect(stdout.split("Flags of every command")[0]).toMatchSnapshot();
    expect((await runCli(["help", ...name.split(" ")])).stdout).toBe(stdout);
  },
);

test("the version is that of the package", async () => {
  expect((await runCli(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await runCli(["--version", "--json"])).json()).toEqual({ version: expect.any(String) });
});

test.each([
  ["a command", ["verfy"], 'There is no command "verfy". Did you mean "verify"?'],
  ["a flag", ["verify", "--jsn"], 'There is no flag --jsn. Did you mean "--json"?'],
  ["a value that is missing", ["verify", "--timeout"], "--timeout needs a value."],
  ["a flag in the place of a value", ["verify", "--timeout", "--json"], "--timeout needs a value."],
  ["a value that cannot be", ["verify", "--timeout=soon"], "--timeout must be a length of time"],
  ["a choice that does not exist", ["verify", "--color", "alway"], 'Did you mean "always"?'],
  ["a value of a switch", ["verify", "--debug=yes"], "--debug is a switch and takes no value."],
  ["a word too many", ["verify", "all"], '`lockstep verify` does not take "all".'],
  ["two formats", ["verify", "--json", "--jsonl"], "Give --json or --jsonl, not both."],
])("%s that it does not know ends with 2 and a sentence", async (_what, argv, sentence) => {
  const { code, stdout, stderr } = await runCli(argv, { databaseUrl: db.url });
  expect(stderr).toContain(argv.includes("--json") ? JSON.stringify(sentence).slice(1, -1) : sentence);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});

test("flags of every command may stand before it", async () => {
  const { code, json } = await runCli(["--json", "--database-url", db.url, "verify"]);
  expect({ code, json: json() }).toEqual({ code: 0, json: { data: [] } });
});

test("without a database it ends with 3 and says what to do", async () => {
  const { code, stderr } = await runCli(["verify"]);
  expect(code).toBe(3);
  expect(stderr).toContain("No database is configured.");
  expect(stderr).toContain("Set DATABASE_URL=");
  expect(stderr).toContain("code  database.unknown");
});

test("with a database that does not answer it ends with 3", async () => {
  const { code, stderr } = await runCli(["verify", "--json", "--database-url=postgres://127.0.0.1:1/none"]);
  expect(code).toBe(3);
  expect(JSON.parse(stderr).error).toMatchObject({ code: "database.unavailable" });
});

test("a database that was never migrated is told apart", async () => {
  const bare = new URL(db.url);
  bare.pathname = "/postgres";
  const { code, stderr } = await runCli(["verify"], { databaseUrl: bare.href });
  expect(code).toBe(1);
  expect(stderr).toContain("Run `lockstep migrate`.");
});

test("the database of a running `lockstep dev` in the folder is found; that of one that ended is not", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-cli-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, ".lockstep"));
  const record = (pid: number) =>
    writeFile(
      join(folder, ".lockstep", "dev.json"),
      JSON.stringify({ url: "http://127.0.0.1:4400", databaseUrl: db.url, pid }),
    );
  await record(process.pid);
  expect((await runCli(["verify"], { cwd: folder })).code).toBe(0);
  await record(2 ** 22 + 1);
  const { code, stderr } = await runCli(["verify"], { cwd: folder });
  expect(code).toBe(3);
  expect(stderr).toContain("the `lockstep dev` of this folder has ended");
});

test("--debug shows the stack and its cause", async () => {
  const argv = ["verify", "--debug", "--database-url=postgres://127.0.0.1:1/none"];
  const { stderr } = await runCli(argv);
  expect(stderr).toContain("caused by DatabaseUnavailableError");
});
