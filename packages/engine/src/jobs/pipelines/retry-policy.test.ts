import { describe, expect, test } from "vitest";
import { DefinitionError } from "./definition-error.ts";
import {
  backoffOf,
  chosenDelayMs,
  completeRetryPolicy,
  defaultBackoff,
  longestDelayMs,
  type RetryPolicy,
  validDelayMs,
} from "./retry-policy.ts";

describe("a policy is completed", () => {
  test.each<[RetryPolicy | undefined, object]>([
    [undefined, { kind: "exponential", baseMs: 120_000, capMs: 3_600_000, jitter: 0.5 }],
    [{}, { kind: "exponential", baseMs: 120_000, capMs: 3_600_000, jitter: 0.5 }],
    [
      { kind: "constant", baseMs: 0 },
      { kind: "constant", baseMs: 0, capMs: 3_600_000, jitter: 0.5 },
    ],
    [
      { kind: "linear", jitter: 0 },
      { kind: "linear", baseMs: 120_000, capMs: 3_600_000, jitter: 0 },
    ],
    [{ baseMs: 7_200_000 }, { kind: "exponential", baseMs: 7_200_000, capMs: 7_200_000, jitter: 0.5 }],
  ])("%j becomes %j", (policy, complete) => {
    expect(completeRetryPolicy(policy, "stage s")).toEqual(complete);
  });
});

describe("a wrong policy is refused with a sentence", () => {
  test.each<[unknown, RegExp]>([
    ["exponential", /must be a function or an object/],
    [null, /must be a function or an object/],
    [{ kind: "quadratic" }, /kind of stage s must be "exponential", "linear" or "constant"/],
    [{ baseMs: -1 }, /baseMs of stage s must be a whole number of milliseconds from 0 to/],
    [{ baseMs: 1.5 }, /baseMs/],
    [{ baseMs: "2m" }, /baseMs/],
    [{ capMs: Number.POSITIVE_INFINITY }, /capMs/],
    [{ capMs: longestDelayMs + 1 }, /\(5 years\)/],
    [{ baseMs: 2_000, capMs: 1_000 }, /capMs of stage s \(1000\) must not be smaller than baseMs \(2000\)/],
    [{ jitter: 1.1 }, /jitter of stage s must be a number from 0 to 1/],
    [{ jitter: Number.NaN }, /jitter/],
    [{ base: 1_000 }, /Unknown option "base" in retry of stage s. Did you mean "baseMs"\?/],
    [{ toString: 1 }, /Unknown option "toString"/],
  ])("%j", (policy, sentence) => {
    const complete = () => completeRetryPolicy(policy as RetryPolicy, "stage s");
    expect(complete).toThrow(DefinitionError);
    expect(complete).toThrow(sentence);
  });
});

describe("a function chooses the wait", () => {
  test("from the attempt and what was thrown", () => {
    const error = new Error("busy");
    const policy: RetryPolicy = (failure) => (failure.error === error ? failure.attempt * 1_000 : 0);
    expect(chosenDelayMs(policy, 3, error)).toBe(3_000);
  });

  test.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["answers NaN", () => Number.NaN],
    ["answers Infinity", () => Number.POSITIVE_INFINITY],
    ["answers a negative number", () => -1],
    ["answers text", () => "2m"],
    ["answers nothing", () => undefined],
    ["answers a promise that rejects", () => Promise.reject(new Error("no"))],
  ])("and the backoff does when it %s", (_what, policy) => {
    expect(chosenDelayMs(policy as () => number, 1, null)).toBeNull();
  });

  test("and beside it PostgreSQL knows the default backoff", () => {
    expect(backoffOf(() => 5)).toEqual(defaultBackoff);
    const constant = { ...defaultBackoff, kind: "constant" } as const;
    expect(backoffOf(constant)).toEqual(constant);
    expect(chosenDelayMs(constant, 1, null)).toBeNull();
  });
});

test.each([
  [0, 0],
  [1.4, 1],
  [-0.1, null],
  [longestDelayMs * 2, longestDelayMs],
  ["5", null],
  [undefined, null],
])("a wait of %j is taken as %j", (given, taken) => {
  expect(validDelayMs(given)).toBe(taken);
});
