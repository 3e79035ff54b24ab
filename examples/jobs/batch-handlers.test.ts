import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("three texts are embedded with one request, and the empty one fails alone", async () => {
  const { output, code } = await runExample("jobs/batch-handlers.ts", { env: { DATABASE_URL: db.url } });
  const [request, first, second, third] = output.split("\n");
  expect([request, first, second]).toEqual(["one request for 3 texts", "a lamp: 6, 2", "a red chair: 11, 3"]);
  expect(third).toContain("the text is empty");
  expect(code).toBe(0);
}, 60_000);
