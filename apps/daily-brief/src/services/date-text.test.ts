import { expect, test } from "vitest";
import { dateText, timeText } from "./date-text.ts";

test("a day has its month in words, wherever the machine is", () => {
  expect(dateText("2026-03-02")).toBe("2 March 2026");
  expect(dateText("2026-09-30")).toBe("30 September 2026");
});

test("a moment is told by the person's clock, on the person's day", () => {
  const instant = new Date("2026-03-02T00:05:00Z");
  expect(timeText(instant, "UTC")).toBe("2 March 2026, 00:05");
  expect(timeText(instant, "America/New_York")).toBe("1 March 2026, 19:05");
});
