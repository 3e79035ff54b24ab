import { describe, expect, test } from "vitest";
import { spanContextOf, traceparentOf } from "./trace-context.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

describe("a traceparent", () => {
  test.each([0, 1])("goes and comes back with flags %i", (traceFlags) => {
    const traceparent = traceparentOf({ traceId, spanId, traceFlags });
    expect(traceparent).toBe(`00-${traceId}-${spanId}-0${traceFlags}`);
    expect(spanContextOf(traceparent)).toEqual({ traceId, spanId, traceFlags, isRemote: true });
  });

  test("of a later version is read as far as it is known", () => {
    expect(spanContextOf(`01-${traceId}-${spanId}-01-more`)).toMatchObject({ traceId, spanId });
  });

  test.each([
    "",
    "nonsense",
    `00-${traceId}-${spanId}`,
    `ff-${traceId}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
  ])("%o is none", (text) => {
    expect(spanContextOf(text)).toBeNull();
  });
});
