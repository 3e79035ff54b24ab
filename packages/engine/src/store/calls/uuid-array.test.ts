import { randomUUID } from "node:crypto";
import { testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { Database } from "../connections/database.ts";
import { uuidArray } from "./uuid-array.ts";

const db = testDatabase();

test.each([
  ["named statements", false],
  ["a transaction pooler", true],
])("PostgreSQL reads back what was written, with %s", async (_what, transactionPooler) => {
  const database = new Database({
    target: targetAt(db.url),
    connections: 1,
    transactionPooler,
    applicationName: "lockstep tests: uuid arrays",
  });
  onTestFinished(() => database.close(systemClock));
  const readBack = async (ids: readonly string[]) => {
    const text = "select array(select unnest($1::uuid[])::text) as ids";
    const [row] = await database.query({ name: "ids", text, values: [uuidArray(ids)] });
    return row?.ids;
  };
  const [one, two] = [randomUUID(), randomUUID()];
  const allDigits = "01234567-89ab-cdef-fedc-ba9876543210";
  for (const ids of [[], [one], [one, two, allDigits], [one, two, two, two, one]]) {
    expect(await readBack(ids)).toEqual(ids);
  }
});
