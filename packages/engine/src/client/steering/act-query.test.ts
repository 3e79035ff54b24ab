import { expect, test } from "vitest";
import { RefusedError } from "../../store/connections/database-error.ts";
import { ActQuery } from "./act-query.ts";

const statement = { name: "s", text: "s", values: [] };
const refusal = Object.assign(new Error("no such job"), { code: "LS001" });
const breakdown = Object.assign(new Error("deadlock detected"), { code: "40P01" });

const failing = (error: Error) => new ActQuery(() => Promise.reject(error));

test("a write after the end of its act is refused", async () => {
  const query = new ActQuery(async () => []);
  await query.query(statement);
  query.end();
  await expect(query.query(statement)).rejects.toThrow(/act is over/);
});

test("an act cannot end well after a write that failed, even if nobody looked at it", async () => {
  const query = failing(breakdown);
  await query.query(statement).catch(() => {});
  expect(() => query.end()).toThrow(breakdown);
  expect(query.breakdown).toBe(breakdown);
});

test("what the database refuses is no breakdown of the database", async () => {
  const query = failing(refusal);
  await expect(query.query(statement)).rejects.toThrow(RefusedError);
  expect(query.breakdown).toBeNull();
  expect(() => query.end()).toThrow(RefusedError);
});
