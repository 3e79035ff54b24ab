import type { TelemetrySpanContext } from "./telemetry.ts";

/** A span's context as W3C writes it in `traceparent`, to be stored on a job. */
export function traceparentOf({ traceId, spanId, traceFlags }: TelemetrySpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, "0")}`;
}

/** What a stored `traceparent` says; null when it cannot be read. Any client may have written it. */
export function spanContextOf(traceparent: string): TelemetrySpanContext | null {
  const found = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/.exec(
    traceparent,
  );
  const [, traceId, spanId, flags] = found ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
