import { expect, test } from "vitest";
import { askedWaitMs } from "./asked-wait-ms.ts";

const nowMs = Date.parse("2026-11-16T12:00:00Z");

test.each([
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "1.5" }, 1_500],
  [{ "retry-after": "Mon, 16 Nov 2026 12:00:30 GMT" }, 30_000],
  [{ "retry-after": "Mon, 16 Nov 2026 11:00:00 GMT" }, 0],
  [{ "retry-after": "9999999" }, 86_400_000],
  [{ "retry-after-ms": "1500", "retry-after": "7" }, 1_500],
  [{ "retry-after-ms": "soon", "retry-after": "7" }, 7_000],
  [{ "retry-after": "soon" }, null],
  [{ "retry-after": "" }, null],
  [{}, null],
  [undefined, null],
])("%j asks for %j ms", (headers, expected) => {
  expect(askedWaitMs(headers as Record<string, string> | undefined, nowMs)).toBe(expected);
});
