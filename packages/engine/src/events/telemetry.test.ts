import * as opentelemetry from "@opentelemetry/api";
import { expect, expectTypeOf, test } from "vitest";
import type { Telemetry } from "./telemetry.ts";

test("the API of OpenTelemetry is what we describe of it", () => {
  expectTypeOf(opentelemetry).toExtend<Telemetry>();
  // Written as numbers where they are used, since nothing of the API is imported there.
  expect(opentelemetry.SpanKind).toMatchObject({ PRODUCER: 3, CONSUMER: 4 });
  expect(opentelemetry.SpanStatusCode).toMatchObject({ ERROR: 2 });
});
