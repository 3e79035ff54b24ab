import { testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { globalFlags } from "../../packages/cli/src/command-line/global-flags.ts";
import { flagName } from "../../packages/cli/src/command-line/help.ts";
import { commands } from "../../packages/cli/src/commands.ts";
import { exitCodes } from "../../packages/cli/src/session/exit-code.ts";
import { runCli } from "../../packages/cli/src/testing/run-cli.ts";
import { blocks, filesBelow, read, tableUnder } from "./page.ts";

const db = testDatabase();
const page = read("docs/cli.md");

test("docs/cli.md lists every command as its help says it", () => {
  const expected = commands
    .filter(({ isHidden }) => !isHidden)
    .map(({ name, usage, summary }) => [`\`${[name, usage].filter(Boolean).join(" ")}\``, summary]);
  expect(tableUnder(page, "## Commands")).toEqual(expected);
});

test("docs/cli.md lists the flags of every command and the exit codes", () => {
  const flags = Object.entries(globalFlags).map(([name, flag]) => [
    `\`${flagName(name, flag).trim()}\``,
    flag.sentence,
  ]);
  expect(tableUnder(page, "## Flags of every command")).toEqual(flags);
  const codes = Object.values(exitCodes).map(({ code, sentence }) => [String(code), sentence]);
  expect(tableUnder(page, "## Exit codes")).toEqual(codes);
});

test("docs/cli.md shows a session that runs and says what it shows", async () => {
  const greeting = definePipeline<{ name: string }>("greeting")
    .stage("look-up", ({ payload }) => payload.name)
    .stage("greet", ({ output }) => ({ text: `Hello, ${output}` }));
  const engine = createEngine({ databaseUrl: db.url, pipelines: [greeting], logger: null });
  onTestFinished(() => engine.stop());
  await engine.start();

  const [session = ""] = blocks(page, "console");
  const steps = session.split(/^\$ /m).slice(1);
  expect(steps.length).toBeGreaterThan(3);
  for (const step of steps) {
    const [line = "", ...said] = step.split("\n");
    const [, ...argv] = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, word]) => quoted ?? word ?? "",
    );
    const { code, stdout } = await runCli(argv, {
      databaseUrl: db.url,
      columns: 110,
      env: { NO_COLOR: "1" },
    });
    expect(stdout, line).toBe(said.join("\n"));
    expect(code, line).toBe(0);
  }
});

test("what the pages tell people to run with npx is there without npm's registry: the tools of this repository", () => {
  const pages = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    ...["docs", "packages", "apps"].flatMap((folder) => filesBelow(folder, ".md")),
  ];
  const runs = pages.flatMap((path) =>
    [...read(path).matchAll(/\bnpx (\S+)(?: ([a-z-]+))?/g)].map(([, program = "", word = ""]) => ({
      path,
      program,
      word,
    })),
  );
  expect(runs.length).toBeGreaterThan(8);
  const words = commands
    .flatMap(({ name, aliases = [] }) => [name, ...aliases])
    .map((name) => name.split(" ")[0]);
  for (const { path, program, word } of runs) {
    expect(["lockstep", "create-lockstep", "vitest", "biome"], `${path}: npx ${program}`).toContain(program);
    if (program === "lockstep" && word !== "") expect(words, `${path}: npx lockstep ${word}`).toContain(word);
  }
});
