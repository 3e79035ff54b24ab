import { expect, test } from "vitest";
import { ScheduleError } from "./schedule-error.ts";
import { checkScheduleOptions, type ScheduleOptions } from "./schedule-options.ts";

const options: ScheduleOptions = { cron: "0 3 * * *", payload: null };

test("what is right is taken", () => {
  checkScheduleOptions("nightly", options);
  checkScheduleOptions("a.b:c-1", {
    ...options,
    timeZone: "Asia/Kolkata",
    priority: 1,
    owner: "ada",
    tags: ["blue"],
    missed: "run_once",
  });
});

test.each([
  ["a/b", {}, /A schedule's name is 1 to 100 letters/],
  [
    "nightly",
    { timezone: "UTC" },
    /Unknown option "timezone" of schedule "nightly"\. Did you mean "timeZone"\?/,
  ],
  ["nightly", { cron: "0 3 * *" }, /five fields/],
  ["nightly", { cron: 5 }, /A cron pattern is text/],
  ["nightly", { timeZone: "Mars/Olympus" }, /no time zone "Mars\/Olympus"/],
  ["nightly", { missed: "all" }, /missed of schedule "nightly" must be "skip" or "run_once"/],
  ["nightly", { priority: 21 }, /Schedule "nightly": priority must be/],
  ["nightly", { owner: "" }, /Schedule "nightly": owner must have 1 to 255 bytes/],
  ["nightly", { tags: Array(19).fill("t") }, /has 19 tags, but may have 18/],
])("%s with %j is refused with a sentence", (name, change, sentence) => {
  const check = () => checkScheduleOptions(name, { ...options, ...change } as ScheduleOptions);
  expect(check).toThrow(ScheduleError);
  expect(check).toThrow(sentence);
});
