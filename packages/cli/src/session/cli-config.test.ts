import { systemClock } from "lockstep/internal";
import { expect, test } from "vitest";
import { globalFlags } from "../command-line/global-flags.ts";
import { readFlags } from "../command-line/read-flags.ts";
import { readCliConfig } from "./cli-config.ts";
import type { Io } from "./io.ts";

function config(argv: string[], env: Record<string, string>, isTTY: boolean) {
  const stream = { isTTY, columns: 80, write: async () => {} };
  const flags = readFlags(argv, globalFlags, systemClock.now()).values;
  const io = { env, stdin: { isTTY }, stdout: stream, stderr: stream } as unknown as Io;
  return readCliConfig(flags as Parameters<typeof readCliConfig>[0], io);
}

test.each<[string, string[], Record<string, string>, boolean, boolean]>([
  ["a terminal", [], {}, true, true],
  ["no terminal", [], {}, false, false],
  ["NO_COLOR", [], { NO_COLOR: "1" }, true, false],
  ["an empty NO_COLOR is none", [], { NO_COLOR: "" }, true, true],
  ["TERM=dumb", [], { TERM: "dumb" }, true, false],
  ["FORCE_COLOR", [], { FORCE_COLOR: "1" }, false, true],
  ["FORCE_COLOR=0", [], { FORCE_COLOR: "0" }, true, false],
  ["--color=always over NO_COLOR", ["--color=always"], { NO_COLOR: "1" }, false, true],
  ["--color=never over FORCE_COLOR", ["--color=never"], { FORCE_COLOR: "1" }, true, false],
])("colours with %s", (_what, argv, env, isTTY, hasColor) => {
  expect(config(argv, env, isTTY).hasColor.stdout).toBe(hasColor);
});

test.each<[string, string[], Record<string, string>, boolean, boolean]>([
  ["on a terminal", [], {}, true, true],
  ["off it", [], {}, false, false],
  ["in CI", [], { CI: "true" }, true, false],
  ["with --no-input", ["--no-input"], {}, true, false],
])("whether a person is asked %s", (_what, argv, env, isTTY, mayAsk) => {
  expect(config(argv, env, isTTY).mayAsk).toBe(mayAsk);
});

test("a flag comes before the environment, and that before nothing", () => {
  const env = { DATABASE_URL: "postgres://env/db" };
  expect(config(["--database-url", "postgres://flag/db"], env, false).databaseUrl).toBe("postgres://flag/db");
  expect(config([], env, false).databaseUrl).toBe("postgres://env/db");
  expect(config([], { DATABASE_URL: "" }, false).databaseUrl).toBeNull();
  expect(config(["--schema", "jobs"], { LOCKSTEP_SCHEMA: "other" }, false).schema).toBe("jobs");
  expect(config([], { LOCKSTEP_SCHEMA: "other" }, false).schema).toBe("other");
  expect(config([], { LOCKSTEP_SCHEMA: "" }, false).schema).toBeNull();
});
