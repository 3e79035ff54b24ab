import { describe, expect, expectTypeOf, test } from "vitest";
import { InvalidEffectError } from "./effect-errors.ts";
import { checkedOnce, type Once } from "./once.ts";

const run = () => 1;

describe("a call of once that cannot be meant is refused with a sentence", () => {
  test.each<[unknown, unknown, unknown, string]>([
    [7, run, undefined, 'The key of an effect must be text without NUL characters, such as "ask".'],
    ["a\0b", run, undefined, 'The key of an effect must be text without NUL characters, such as "ask".'],
    ["", run, undefined, "The key of an effect must have 1 to 255 bytes, not 0."],
    ["é".repeat(128), run, undefined, "The key of an effect must have 1 to 255 bytes, not 256."],
    ["ask", "run", undefined, 'Effect "ask" must be a function that once can call.'],
    ["ask", run, "skip", 'The options of effect "ask" must be an object such as { unknown: "fail" }.'],
    ["ask", run, { unkown: "skip" }, 'Unknown option "unkown" of effect "ask". Did you mean "unknown"?'],
    ["ask", run, { unknown: "ignore" }, 'unknown of effect "ask" must be "retry", "skip" or "fail".'],
  ])("%j, %s, %j", (key, given, options, sentence) => {
    expect(() => checkedOnce(key, given, options)).toThrow(new InvalidEffectError(sentence));
  });
});

test.each([
  [undefined, "retry"],
  [{}, "retry"],
  [{ unknown: undefined }, "retry"],
  [{ unknown: "fail" }, "fail"],
])("with the options %j the policy is %s", (options, policy) => {
  expect(checkedOnce("ask", run, options)).toBe(policy);
});

test("what once gives has the type of what the effect returns, and may be null when it may be skipped", () => {
  const once: Once = async () => null as never;
  expectTypeOf(once("ask", async () => ({ text: "" }))).toEqualTypeOf<Promise<{ text: string }>>();
  expectTypeOf(once("ask", () => 7, { unknown: "fail" })).toEqualTypeOf<Promise<number>>();
  expectTypeOf(once("ask", () => 7, { unknown: "skip" })).toEqualTypeOf<Promise<number | null>>();
  // @ts-expect-error
  void once("ask", () => 7, { unknown: "ignore" });
});
