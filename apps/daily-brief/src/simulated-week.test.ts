import { expect, inject, test } from "vitest";
import { simulateWeek } from "./test-support/simulated-week.ts";

const oneDayFrom = (text: string) => {
  const startAt = new Date(text);
  return { startAt, endAt: new Date(startAt.getTime() + 86_400_000) };
};

// Berlin, Sydney, Auckland, London and New York, at 02:30. `npm run prove` has 500 people in twelve zones and the week.
test("everybody has one brief a day by their own clock when clocks go forward in Europe, and back in Sydney", async () => {
  const { problems, ...counts } = await simulateWeek({
    people: 5,
    spans: [oneDayFrom("2026-03-28T12:00:00Z"), oneDayFrom("2026-04-04T12:00:00Z")],
    workers: 2,
    serverUrl: inject("serverUrl"),
  });
  expect(problems).toEqual([]);
  expect(counts).toMatchObject({ briefs: 10, mails: 10, sms: 4 });
});
