import { randomUUID } from "node:crypto";
import { testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { givenPeople } from "../test-support/brief-people.ts";
import { BriefDatabase } from "./brief-database.ts";
import { type Message, OutboxStore } from "./outbox-store.ts";

const db = testDatabase();
const database = new BriefDatabase(async () => db.url);
const outbox = new OutboxStore(database);

beforeAll(async () => {
  await database.prepare();
  await givenPeople(db.url, [{ id: "ada" }, { id: "grace" }]);
});
afterAll(() => database.close());

function anSms(personId: string): Message {
  const about = { jobId: randomUUID(), trackingId: randomUUID(), personId, recipient: "+15550100" };
  return { ...about, kind: "sms", subject: null, body: "Good morning" };
}

test("of many that start together no more go out than the day has places", async () => {
  const takes = Array.from({ length: 8 }, () => outbox.take(anSms("ada"), 3));
  expect((await Promise.all(takes)).filter((place) => place !== null)).toHaveLength(3);
});

test("a place given back is free again, and a later try of a job has that of the first", async () => {
  const [first, second] = [anSms("grace"), anSms("grace")];
  const firstTriedAt = await outbox.take(first, 1);
  expect(await outbox.take(first, 1)).toEqual(firstTriedAt);
  expect(await outbox.take(second, 1)).toBeNull();
  await outbox.giveBack(first.jobId);
  expect(await outbox.take(second, 1)).toBeInstanceOf(Date);
  await outbox.markDone(second.jobId, "SM1");
  await outbox.giveBack(second.jobId);
  expect(await outbox.messagesOf("grace")).toMatchObject([{ jobId: second.jobId, state: "sent" }]);
});

test.each([
  ["email", "ada@example.com\r\nBcc: all@example.com"],
  ["email", "ada@example.com,grace@example.com"],
  ["email", "ada"],
  ["phone", "+15550100\n"],
  ["phone", "555"],
])("no person has the %s %j", async (column, value) => {
  const change = database.rows(`update daily_brief.people set ${column} = $1 where id = 'ada'`, [value]);
  await expect(change).rejects.toThrow("check constraint");
});
