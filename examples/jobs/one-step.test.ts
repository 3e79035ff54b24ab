import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("a job of one stage is sent and completed", async () => {
  const { output, code } = await runExample("jobs/one-step.ts", { env: { DATABASE_URL: db.url } });
  expect(output).toBe("sent to ada@example.org\ncompleted\n");
  expect(code).toBe(0);
}, 60_000);
