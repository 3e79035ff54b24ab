import { expect, inject, test } from "vitest";
import { simulateWeek } from "./test-support/simulated-week.ts";

// Berlin, Sydney, Auckland, London and New York, at 02:30. `npm run prove` has 500 people in twelve zones and the week.
test.each([
  ["forward, in Europe", new Date("2026-03-28T12:00:00Z")],
  ["back, in Sydney and Auckland", new Date("2026-04-04T12:00:00Z")],
])("everybody has one brief a day by their own clock when clocks go %s", async (_, startAt) => {
  const { problems, ...counts } = await simulateWeek({
    people: 5,
    days: 1,
    startAt,
    serverUrl: inject("serverUrl"),
  });
  expect(problems).toEqual([]);
  expect(counts).toMatchObject({ briefs: 5, mails: 5, sms: 2 });
});
