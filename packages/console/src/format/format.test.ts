import { expect, test } from "vitest";
import { formatDuration, formatElapsed } from "./duration.ts";
import { formatBytes, formatNumber, formatPercent, formatRate } from "./number.ts";
import { shortId } from "./short-id.ts";
import { formatClock, formatRelative } from "./time.ts";

test.each([
  [-5_000, "0 ms"],
  [420, "420 ms"],
  [4_190, "4.1 s"],
  [9_999, "9.9 s"],
  [41_000, "41 s"],
  [130_000, "2 m 10 s"],
  [120_000, "2 m"],
  [273_600_000, "3 d 4 h"],
])("a span of %i ms reads %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test("a counting clock shows whole seconds and never less than none", () => {
  expect([-40, 900, 5_900, 61_000].map(formatElapsed)).toEqual(["0 s", "0 s", "5 s", "1 m 1 s"]);
});

test("numbers are written in full up to 99,999", () => {
  expect([0, 1_204, 99_999, 100_000, 1_234_567].map(formatNumber)).toEqual([
    "0",
    "1,204",
    "99,999",
    "100K",
    "1.2M",
  ]);
  expect([0, 0.25, 3, 412].map(formatRate)).toEqual(["0", "0.3", "3", "412"]);
  expect([0, 0.9934, 1].map(formatPercent)).toEqual(["0 %", "99.3 %", "100 %"]);
  expect([12, 4_200, 2_200_000].map(formatBytes)).toEqual(["12 B", "4.1 KB", "2.1 MB"]);
});

test("times tell how long ago, and never in which direction a second lies", () => {
  const now = new Date("2026-01-31T12:00:00Z");
  const before = (ms: number) => formatRelative(new Date(now.getTime() - ms), now);
  expect([
    before(400),
    before(-400),
    before(4_000),
    before(200_000),
    before(9_000_000),
    before(-230_000),
  ]).toEqual(["just now", "just now", "4 s ago", "3 m ago", "2 h ago", "in 3 m"]);
  expect(formatClock(new Date("2026-01-31T10:30:05Z"), "utc", now)).toBe("10:30:05");
  expect(formatClock(new Date("2026-01-30T10:30:05Z"), "utc", now)).toBe("30 Jan, 10:30:05");
});

test("a long id is cut in the middle", () => {
  expect(shortId("0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f")).toBe("0192…398f");
});
