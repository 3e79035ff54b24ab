import { expect, test } from "vitest";
import { cronInWords } from "./cron-words.ts";

test.each([
  ["* * * * *", "Every minute"],
  ["*/15 * * * *", "Every 15 minutes"],
  ["5 * * * *", "Every hour at minute 5"],
  ["0 6 * * *", "Every day at 06:00"],
  ["30 7 * * 1-5", "Monday to Friday at 07:30"],
  ["0 9 * * mon,thu", "Monday, Thursday at 09:00"],
  ["0 0 1 * *", "On day 1 of each month at 00:00"],
  ["0 0 6 * * *", "Every day at 06:00"],
  ["0 6 * 2 *", "0 6 * 2 *"],
  ["0 6-9 * * *", "0 6-9 * * *"],
  ["0 6 * * 9x", "0 6 * * 9x"],
])("%s reads: %s", (cron, words) => {
  expect(cronInWords(cron)).toBe(words);
});
