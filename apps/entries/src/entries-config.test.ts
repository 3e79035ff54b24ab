import { expect, test } from "vitest";
import { readEntriesConfig } from "./entries-config.ts";

const DATABASE_URL = "postgres://ada:s3cret@127.0.0.1/entries";

test("a database is all it needs", () => {
  expect(readEntriesConfig({ DATABASE_URL, ENTRIES_WORKER: "" })).toEqual({
    databaseUrl: DATABASE_URL,
    databaseClient: "drizzle",
    tokenSecret: null,
    worksInServer: true,
    stageWorkMs: 2_000,
    connections: 5,
    hosts: [],
  });
});

test.each([
  [{ DATABASE_URL: "" }, "DATABASE_URL is not set; it must be the address of a PostgreSQL database"],
  [{ ENTRIES_WORKER: "none" }, 'ENTRIES_WORKER must be "in-server" or "separate", not "none".'],
  [
    { ENTRIES_STAGE_WORK_MS: "-1" },
    'ENTRIES_STAGE_WORK_MS must be a whole number from 0 to 60000, not "-1".',
  ],
  [{ ENTRIES_CONNECTIONS: "0" }, 'ENTRIES_CONNECTIONS must be a whole number from 1 to 100, not "0".'],
  [{ ENTRIES_HOSTS: "a.example, b.example:80" }, "ENTRIES_HOSTS must be host names without ports"],
])("%j is refused with the name of the variable", (env, sentence) => {
  expect(() => readEntriesConfig({ DATABASE_URL, ...env })).toThrow(`The environment variable ${sentence}`);
});
