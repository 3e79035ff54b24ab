import { readFileSync } from "node:fs";
import { testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { commands } from "./commands.ts";
import { exitCodes } from "./exit-code.ts";
import { globalFlags } from "./global-flags.ts";
import { flagName } from "./help.ts";
import { runCli } from "./testing/run-cli.ts";

const db = testDatabase();
const page = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");

/** The rows of the first table under a heading, without its head; each a list of cells. */
function tableUnder(heading: string): string[][] {
  const [, after = ""] = page.split(`\n${heading}\n`);
  const [table = ""] = /^\|.*(?:\n\|.*)*/m.exec(after) ?? [];
  const [, , ...rows] = table.split("\n");
  // A pipe within a cell is written \|.
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("\\|", "|")),
  );
}

test("docs/cli.md lists every command as its help says it", () => {
  const expected = commands
    .filter(({ isHidden }) => !isHidden)
    .map(({ name, usage, summary }) => [`\`${[name, usage].filter(Boolean).join(" ")}\``, summary]);
  expect(tableUnder("## Commands")).toEqual(expected);
});

test("docs/cli.md lists the flags of every command and the exit codes", () => {
  const flags = Object.entries(globalFlags).map(([name, flag]) => [
    `\`${flagName(name, flag).trim()}\``,
    flag.sentence,
  ]);
  expect(tableUnder("## Flags of every command")).toEqual(flags);
  const codes = Object.values(exitCodes).map(({ code, sentence }) => [String(code), sentence]);
  expect(tableUnder("## Exit codes")).toEqual(codes);
});

test("docs/cli.md shows a session that runs and says what it shows", async () => {
  const greeting = definePipeline<{ name: string }>("greeting")
    .stage("look-up", ({ payload }) => payload.name)
    .stage("greet", ({ output }) => ({ text: `Hello, ${output}` }));
  const engine = createEngine({ databaseUrl: db.url, pipelines: [greeting], logger: null });
  onTestFinished(() => engine.stop());
  await engine.start();

  const [, session = ""] = /^```console\n(.*?)^```$/ms.exec(page) ?? [];
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
