import { ManualClock } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { Outages } from "./outages.ts";

let urls = 0;

/** What two engines of one process are told of one database. */
function anOutageWatch() {
  const clock = new ManualClock();
  const told: [string[], string[]] = [[], []];
  const url = `postgres://database-${urls++}`;
  const joined = told.map((lines) => {
    const listener = {
      onDown: ({ error }: { error: Error }) => void lines.push(error.message),
      onUp: ({ downForMs }: { downForMs: number }) => void lines.push(`up after ${downForMs}`),
    };
    const outages = Outages.join(clock, url, listener);
    const leave = () => outages.leave(listener);
    onTestFinished(leave);
    return { outages, leave };
  });
  const [one, other] = joined as [(typeof joined)[0], (typeof joined)[0]];
  const fail = (message: string, begun = one.outages.begun()) =>
    one.outages.failed(begun, new Error(message));
  const succeed = (begun = other.outages.begun()) => other.outages.succeeded(begun);
  return { clock, told, one, other, fail, succeed };
}

test("connections that are lost one by one are no outage, however often", async () => {
  const { clock, told, fail, succeed } = anOutageWatch();
  for (let time = 0; time < 20; time += 1) {
    fail("killed");
    await clock.advance(500);
    succeed();
  }
  expect(told).toEqual([[], []]);
});

test("calls that were under way together and fail together are no outage", async () => {
  const { clock, told, one, fail } = anOutageWatch();
  const begun = Array.from({ length: 4 }, () => one.outages.begun());
  for (const each of begun) {
    fail("killed", each);
    await clock.advance(1_000);
  }
  expect(told).toEqual([[], []]);
});

test("a call that fails half a second after another one is an outage, told to all of the process once", async () => {
  const { clock, told, fail, succeed } = anOutageWatch();
  fail("first");
  await clock.advance(499);
  fail("second");
  expect(told).toEqual([[], []]);
  await clock.advance(1);
  fail("third");
  fail("fourth");
  await clock.advance(2_000);
  succeed();
  succeed();
  expect(told).toEqual([
    ["third", "up after 2500"],
    ["third", "up after 2500"],
  ]);
});

test("an outage is told again every minute while it lasts", async () => {
  const { clock, told, fail } = anOutageWatch();
  for (let second = 0; second <= 180; second += 1) {
    fail(`second ${second}`);
    await clock.advance(1_000);
  }
  expect(told[0]).toEqual(["second 1", "second 61", "second 121"]);
});

test("it is over only by a call begun since the last failure: an answer under way before tells nothing", async () => {
  const { clock, told, one, fail, succeed } = anOutageWatch();
  fail("first");
  await clock.advance(500);
  const early = one.outages.begun();
  fail("second");
  succeed(early);
  expect(told[0]).toEqual(["second"]);
  succeed();
  expect(told[0]).toEqual(["second", "up after 500"]);
});

test("who has left is told no more", async () => {
  const { clock, told, other, fail } = anOutageWatch();
  other.leave();
  fail("first");
  await clock.advance(500);
  fail("second");
  expect(told).toEqual([["second"], []]);
});
