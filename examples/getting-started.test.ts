import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "./run-example.ts";

const db = testDatabase();

test("a worker in one process runs what another process has added, and stops when it is told to", async () => {
  const env = { DATABASE_URL: db.url };
  let added: ReturnType<typeof runExample> | undefined;
  const worker = await runExample("getting-started/worker.ts", {
    env,
    onOutput(_output, signal) {
      added ??= runExample("getting-started/add.ts", { env }).finally(() => signal("SIGTERM"));
    },
  });
  const { output, errors, code } = (await added) ?? { output: "", errors: "nothing was added", code: 1 };
  expect(errors).toBe("");
  expect(output).toMatch(/^added [0-9a-f-]{36}\n\{ sentTo: 'ada@example.org' \}\n$/);
  expect(code).toBe(0);
  expect(worker).toEqual({ output: "working\n", errors: "", code: 0 });
}, 60_000);
