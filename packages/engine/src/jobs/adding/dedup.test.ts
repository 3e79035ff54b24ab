import { expect, test } from "vitest";
import { dedupComplaint } from "./dedup.ts";

test.each<[object]>([
  [{ forMs: 1 }],
  [{ throttleMs: 31_536_000_000 }],
  [{ debounceMs: 5 }],
  [{ debounceMs: 5, atMostMs: undefined }],
  [{ debounceMs: 5, atMostMs: 5 }],
])("%j can be used", (dedup) => {
  expect(dedupComplaint(dedup)).toBeNull();
});

const shapes = "must be one of { forMs }, { throttleMs }, { debounceMs } and { debounceMs, atMostMs }";

test.each<[unknown, string]>([
  ["forMs", shapes],
  [null, shapes],
  [{}, shapes],
  [{ forMs: 5, throttleMs: 5 }, shapes],
  [{ forMs: 5, atMostMs: 5 }, shapes],
  [{ atMostMs: 5 }, shapes],
  [{ for: 5 }, shapes],
  [{ forMs: 0 }, "must have as forMs a whole number of milliseconds from 1 to 31536000000 (365 days)"],
  [
    { throttleMs: 1.5 },
    "must have as throttleMs a whole number of milliseconds from 1 to 31536000000 (365 days)",
  ],
  [
    { debounceMs: "5" },
    "must have as debounceMs a whole number of milliseconds from 1 to 31536000000 (365 days)",
  ],
  [
    { debounceMs: 1, atMostMs: 31_536_000_001 },
    "must have as atMostMs a whole number of milliseconds from 1 to 31536000000 (365 days)",
  ],
  [{ debounceMs: 5, atMostMs: 4 }, "must not have an atMostMs that is less than its debounceMs"],
])("%j is refused", (dedup, complaint) => {
  expect(dedupComplaint(dedup)).toBe(complaint);
});
