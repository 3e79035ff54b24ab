import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

test("the example of a test passes under node:test, and its process ends by itself", async () => {
  const { output, code } = await runExample("jobs/testing-a-pipeline.ts");
  // Newer Nodes report with a sign of their own.
  expect(output).toMatch(/^[#ℹ] pass 2$/m);
  expect(output).toMatch(/^[#ℹ] fail 0$/m);
  expect(code).toBe(0);
}, 60_000);
