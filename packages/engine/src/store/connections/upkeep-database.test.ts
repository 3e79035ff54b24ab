import { ManualClock, testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { UpkeepDatabase } from "./upkeep-database.ts";

// Generous: a busy machine is slow.
const soon = { timeout: 25_000 };
const db = testDatabase();

function aUser(clock = systemClock, schema = "lockstep") {
  const user = {};
  const options = { target: targetAt(db.url), schema, transactionPooler: false };
  const upkeep = UpkeepDatabase.join(clock, options, user);
  const leave = () => upkeep.leave(user);
  onTestFinished(leave);
  const query = (text: string) => upkeep.database.query<{ pid: number }>({ name: text, text, values: [] });
  const connection = async () => Number((await query("select pg_backend_pid() as pid"))[0]?.pid);
  return { connection, leave };
}

const isOpen = async (pid: number) =>
  (await db.query("select from pg_stat_activity where pid = $1", [pid])).length > 0;

test("those of a process use one connection, which is closed with the last of them", async () => {
  const [one, other] = [aUser(), aUser()];
  const pid = await one.connection();
  expect(await other.connection()).toBe(pid);
  await one.leave();
  expect(await other.connection()).toBe(pid);
  await one.leave();
  await other.leave();
  await expect.poll(() => isOpen(pid), soon).toBe(false);
  expect(await aUser().connection()).not.toBe(pid);
});

test("one with a clock of its own has a connection of its own", async () => {
  const [one, other] = [aUser(), aUser(new ManualClock())];
  expect(await one.connection()).not.toBe(await other.connection());
});

test("one of another schema has a connection of its own", async () => {
  const [one, other] = [aUser(), aUser(systemClock, "other")];
  expect(await one.connection()).not.toBe(await other.connection());
});
