import { ManualClock, testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../clock.ts";
import { DatabaseUnavailableError } from "./database-error.ts";
import { UpkeepDatabase } from "./upkeep-database.ts";

const db = testDatabase();

function aUser(clock = systemClock) {
  const told: string[] = [];
  const user = { onDown: () => void told.push("down"), onUp: () => void told.push("up") };
  const upkeep = UpkeepDatabase.join(clock, { url: db.url, transactionPooler: false }, user);
  const leave = () => upkeep.leave(user);
  onTestFinished(leave);
  const query = (text: string) => upkeep.database.query<{ pid: number }>({ name: text, text, values: [] });
  const connection = async () => Number((await query("select pg_backend_pid() as pid"))[0]?.pid);
  const sleep = () => query("select pg_sleep(5)");
  return { connection, sleep, leave, told };
}

const isOpen = async (pid: number) =>
  (await db.query("select from pg_stat_activity where pid = $1", [pid])).length > 0;

const isBusy = async (pid: number) =>
  (await db.query("select from pg_stat_activity where pid = $1 and state = 'active'", [pid])).length > 0;

test("those of a process use one connection, which is closed with the last of them", async () => {
  const [one, other] = [aUser(), aUser()];
  const pid = await one.connection();
  expect(await other.connection()).toBe(pid);
  await one.leave();
  expect(await other.connection()).toBe(pid);
  await one.leave();
  await other.leave();
  await expect.poll(() => isOpen(pid)).toBe(false);
  expect(await aUser().connection()).not.toBe(pid);
});

test("one with a clock of its own has a connection of its own", async () => {
  const [one, other] = [aUser(), aUser(new ManualClock())];
  expect(await one.connection()).not.toBe(await other.connection());
});

test("all of them are told of an outage and of its end, but for who has left", async () => {
  const [one, other, gone] = [aUser(), aUser(), aUser()];
  await gone.leave();
  const pid = await one.connection();
  const cut = expect(one.sleep()).rejects.toBeInstanceOf(DatabaseUnavailableError);
  await expect.poll(() => isBusy(pid)).toBe(true);
  await db.query("select pg_terminate_backend($1)", [pid]);
  await cut;
  expect([one.told, other.told]).toEqual([["down"], ["down"]]);
  await other.connection();
  expect([one.told, other.told, gone.told]).toEqual([["down", "up"], ["down", "up"], []]);
});
