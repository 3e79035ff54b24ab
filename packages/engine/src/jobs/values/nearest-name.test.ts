import { expect, test } from "vitest";
import { didYouMean, nearestName } from "./nearest-name.ts";

const known = ["leaseMs", "pollIntervalMs", "heartbeatIntervalMs", "pipelines", "queueLimit"];

test.each([
  ["leaseMS", "leaseMs"],
  ["lease", "leaseMs"],
  ["leaseSeconds", "leaseMs"],
  ["heartbeatMs", "heartbeatIntervalMs"],
  ["pollInterval", "pollIntervalMs"],
  ["polIntervalMs", "pollIntervalMs"],
  ["heartBeatIntervalMs", "heartbeatIntervalMs"],
  ["heartbeat", "heartbeatIntervalMs"],
  ["pipeline", "pipelines"],
  ["queuelimit", "queueLimit"],
  ["quueLimit", "queueLimit"],
  ["colour", null],
  ["x", null],
  ["ms", null],
  ["", null],
])("the nearest known name to %j is %j", (name, nearest) => {
  expect(nearestName(name, known)).toBe(nearest);
});

test("no names are known, so none is near", () => {
  expect(nearestName("leaseMs", [])).toBeNull();
});

test("a refusal ends with the nearest name, or as it was", () => {
  expect(`Unknown setting "lease".${didYouMean("lease", known)}`).toBe(
    'Unknown setting "lease". Did you mean "leaseMs"?',
  );
  expect(didYouMean("colour", known)).toBe("");
});
