import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { commands } from "../commands.ts";
import { runCli } from "../testing/run-cli.ts";
import { completeWords } from "./complete-words.ts";
import { completionScripts } from "./completion-scripts.ts";

const reader = async () =>
  ({
    pipelines: async () => [{ name: "orders", stages: [{ name: "read" }, { name: "price" }] }],
    schedules: async () => [{ name: "nightly" }],
  }) as unknown as Awaited<ReturnType<Parameters<typeof completeWords>[2]>>;

test.each<[string, string[]]>([
  ["pi", ["pipelines"]],
  ["pipelines ", ["get", "list", "show"]],
  ["jobs t", ["tail"]],
  ["pipelines show ", ["orders"]],
  ["stats --w", ["--watch"]],
  ["--js", ["--json", "--jsonl"]],
  ["stats --pipeline o", ["orders"]],
  ["stats --color ", ["always", "auto", "never"]],
  ["--json mig", ["migrate"]],
  ["nonsense ", []],
])("%s", async (line, offers) => {
  expect(await completeWords(line.split(" "), commands, reader)).toEqual(offers);
});

test("a database that is away offers nothing and breaks nothing", async () => {
  const { code, stdout, stderr } = await runCli(["__complete", "--", "pipelines", "show", ""]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("bash completes with it", () => {
  const script = `lockstep() { [[ "$1$2$3$4" == "__complete--jobsta" ]] && echo tail; }
    ${completionScripts.bash}
    COMP_WORDS=(lockstep jobs ta); COMP_CWORD=2; _lockstep; echo "\${COMPREPLY[@]}"`;
  expect(spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout).toBe("tail\n");
});

test("a shell that does not exist is refused with the nearest", async () => {
  const { code, stderr } = await runCli(["completion", "bsh"]);
  expect(code).toBe(2);
  expect(stderr).toContain('Did you mean "bash"?');
});
