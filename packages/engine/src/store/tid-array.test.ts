import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { tidArray } from "./tid-array.ts";

const db = testDatabase();

test.each([
  [["(0,1)"]],
  [["(0,1)", "(12,34)", "(4294967294,65535)"]],
  [["(7,2)", null, "(1000000,226)", null]],
])("PostgreSQL reads back %j", async (addresses) => {
  const text = "select array(select unnest($1::tid[])::text) as addresses";
  const [row] = await db.query<{ addresses: unknown }>(text, [tidArray(addresses)]);
  expect(row?.addresses).toEqual(addresses);
});

test("it is nothing when no address is known", () => {
  expect([tidArray([]), tidArray([null, null])]).toEqual([null, null]);
});
