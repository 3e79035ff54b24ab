import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("six jobs pass three stages, and no tenant has more than two in the limited one", async () => {
  const { output, errors, code } = await runExample("jobs/three-stages.ts", {
    env: { DATABASE_URL: db.url },
  });
  expect(errors).toBe("");
  const lines = output.trim().split("\n");
  expect(lines.slice(0, 6)).toEqual(
    ["large", "large", "large", "large", "large", "small"].map(
      (tenant, number) => `{ url: 'https://${tenant}.example/${number}', words: 4 }`,
    ),
  );
  expect(lines[6]).toMatch(/^at most [12] of one tenant at once$/);
  expect(code).toBe(0);
}, 60_000);
