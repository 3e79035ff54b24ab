import { expect, test } from "vitest";
import { oldestWait, waitedMs } from "./oldest-wait.ts";

const noon = new Date("2026-01-31T12:00:00.000Z");
const wait = (stage: string, seconds: number) => ({
  pipeline: "orders",
  stage,
  oldestPendingAt: new Date(noon.getTime() - seconds * 1_000).toISOString(),
});

test("what has waited longest stands for all", () => {
  expect(oldestWait([wait("read", 3), wait("write", 130), wait("send", 12)])?.stage).toBe("write");
  expect(oldestWait([])).toBeNull();
});

test("a wait is never negative, whatever a clock says", () => {
  expect(waitedMs(wait("read", 130), noon)).toBe(130_000);
  expect(waitedMs(wait("read", -5), noon)).toBe(0);
});
