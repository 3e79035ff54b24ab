import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { repository } from "./run-command.ts";

const programs = ["test/chaos/main.ts", "test/model/main.ts", "scripts/test/long.ts"];

const run = (program: string, flag: string) =>
  spawnSync(process.execPath, ["--conditions=@lockstep/source", "--import", "tsx", program, flag], {
    cwd: repository,
    encoding: "utf8",
    timeout: 60_000,
  });

test.each(programs)("%s tells its flags when it is asked for help", (program) => {
  const { status, stdout, stderr } = run(program, "--help");
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^npm run \S+ -- \[flags\]\n {2}--\w+/);
});

test("and says in a sentence that it does not know a flag", () => {
  const { status, stdout, stderr } = run("test/model/main.ts", "--nonsense");
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^Unknown option '--nonsense'/);
  expect(stderr).not.toMatch(/^\s+at /m);
});
