import { readFileSync } from "node:fs";
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("an order and its job are added together, and the stage takes its piece once", async () => {
  const { output, code } = await runExample("database/order-in-a-transaction.ts", {
    env: { DATABASE_URL: db.url },
  });
  expect(output.split("\n")).toEqual([
    'duplicate key value violates unique constraint "orders_pkey"',
    "order 1: 9 pieces left",
    "",
  ]);
  expect(code).toBe(0);
  expect(await db.call("list_jobs", { p_filter: { pipeline: "fulfilment" } })).toMatchObject([
    { status: "completed" },
  ]);
}, 60_000);

test("docs/transactions.md shows it as it is", () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  expect(read("../../docs/transactions.md")).toContain(
    `\`\`\`ts\n${read("order-in-a-transaction.ts")}\`\`\``,
  );
});
