import { describe, expect, test } from "vitest";
import { defaultBackoff, longestDelayMs } from "../pipelines/retry-policy.ts";
import { InvalidOutputError, InvalidPayloadError } from "../values/json-value.ts";
import {
  giveUp,
  type Outcome,
  outcomeOfAnswer,
  outcomeOfThrown,
  PermanentError,
  RetryAfter,
  retryLater,
  snooze,
} from "./outcome.ts";

const refusingProxy = new Proxy(
  {},
  {
    get() {
      throw new Error("no");
    },
    getPrototypeOf() {
      throw new Error("no");
    },
    has() {
      throw new Error("no");
    },
  },
);

describe("an answer means", () => {
  test.each<[string, unknown]>([
    ["a value", { prompts: ["a"] }],
    ["nothing", undefined],
    ["null", null],
    ["text", "giveUp"],
    ["an object that looks like an answer", { kind: "give_up", reason: "none", forMs: 1, afterMs: 1 }],
    ["an error that is returned", new Error("returned")],
    ["a copy of an answer", { ...giveUp("no") }],
    ["an object made with an answer's prototype", Object.create(Object.getPrototypeOf(snooze({ forMs: 1 })))],
    ["a Proxy that refuses everything", refusingProxy],
    ["a Proxy around an answer", new Proxy(giveUp("no"), {})],
  ])("done, for %s", (_what, value) => {
    const outcome = outcomeOfAnswer(value);
    expect(outcome.kind).toBe("done");
    expect((outcome as { value: unknown }).value === value).toBe(true);
  });

  test("failed for good, for giveUp with a sentence", () => {
    expect(outcomeOfAnswer(giveUp("nothing to ask about"))).toEqual({
      kind: "give_up",
      error: { name: "GiveUp", message: "nothing to ask about", permanent: true },
    });
  });

  test("failed for good, for giveUp with an error", () => {
    expect(outcomeOfAnswer(giveUp(new RangeError("too old")))).toMatchObject({
      kind: "give_up",
      error: { name: "RangeError", message: "too old", permanent: true, stack: expect.any(String) },
    });
  });

  test.each<[Parameters<typeof retryLater>[0], string, number | null]>([
    [undefined, "The handler asked to be retried later", null],
    ["busy", "busy", null],
    [new Error("busy"), "busy", null],
    [{ afterMs: 5_000 }, "The handler asked to be retried later", 5_000],
    [{ afterMs: 5_000, reason: "busy" }, "busy", 5_000],
    [{ afterMs: 0, reason: new Error("busy") }, "busy", 0],
    [{ afterMs: Number.NaN }, "The handler asked to be retried later", null],
    [{ afterMs: -1 }, "The handler asked to be retried later", null],
    [{ afterMs: 1e300 }, "The handler asked to be retried later", longestDelayMs],
  ])("to be retried, for retryLater(%j)", (how, message, afterMs) => {
    expect(outcomeOfAnswer(retryLater(how))).toMatchObject({ kind: "retry", error: { message }, afterMs });
  });

  test("to be retried after the wait the stage's function chooses, for retryLater without one", () => {
    const policy = ({ attempt }: { attempt: number }) => attempt * 100;
    expect(outcomeOfAnswer(retryLater("busy"), policy, 4)).toMatchObject({ afterMs: 400 });
    expect(outcomeOfAnswer(retryLater({ afterMs: 7 }), policy, 4)).toMatchObject({ afterMs: 7 });
  });

  test("to be put back, for snooze", () => {
    expect(outcomeOfAnswer(snooze({ forMs: 60_000.4 }))).toEqual({ kind: "snooze", forMs: 60_000 });
    expect(outcomeOfAnswer(snooze({ forMs: 1e300 }))).toEqual({ kind: "snooze", forMs: longestDelayMs });
  });

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, "1"])("nothing, for snooze of %j", (forMs) => {
    expect(() => snooze({ forMs: forMs as number })).toThrow("snooze needs forMs");
  });
});

describe("what is thrown means", () => {
  test.each<[string, unknown, Partial<Outcome> | object]>([
    ["an error", new Error("no"), { kind: "retry", afterMs: null, error: { message: "no" } }],
    ["text", "no", { kind: "retry", afterMs: null, error: { name: "NonError", message: "no" } }],
    ["null", null, { kind: "retry", afterMs: null, error: { message: "null" } }],
    ["a Proxy that refuses everything", refusingProxy, { kind: "retry", afterMs: null }],
    [
      "a PermanentError",
      new PermanentError("unsafe document"),
      { kind: "give_up", error: { name: "PermanentError", message: "unsafe document", permanent: true } },
    ],
    [
      "an invalid payload",
      new InvalidPayloadError("The payload is not valid.", []),
      { kind: "give_up", error: { code: "invalid_payload", permanent: true } },
    ],
    [
      "an invalid output",
      new InvalidOutputError("The output is not valid.", ""),
      { kind: "give_up", error: { code: "invalid_output", permanent: true } },
    ],
    [
      "RetryAfter",
      new RetryAfter("429", { afterMs: 9_000 }),
      { kind: "retry", afterMs: 9_000, error: { name: "RetryAfter", message: "429" } },
    ],
    [
      "RetryAfter with a header that was no number",
      new RetryAfter("429", { afterMs: Number.NaN }),
      { kind: "retry", afterMs: null },
    ],
    ["giveUp, thrown by mistake", giveUp("no"), { kind: "give_up", error: { message: "no" } }],
    ["snooze, thrown by mistake", snooze({ forMs: 5 }), { kind: "snooze", forMs: 5 }],
  ])("%s", (_what, thrown, outcome) => {
    expect(outcomeOfThrown(thrown, defaultBackoff, 1)).toMatchObject(outcome);
  });

  test("a wait chosen by the stage's function, from the very thing that was thrown", () => {
    const thrown = new Error("busy");
    const policy = ({ attempt, error }: { attempt: number; error: unknown }) =>
      error === thrown ? attempt : -1;
    expect(outcomeOfThrown(thrown, policy, 2)).toMatchObject({ kind: "retry", afterMs: 2 });
    expect(outcomeOfThrown(new Error("else"), policy, 2)).toMatchObject({ kind: "retry", afterMs: null });
  });

  test("the wait of RetryAfter, before that of the stage's function", () => {
    expect(outcomeOfThrown(new RetryAfter("429", { afterMs: 9 }), () => 5, 1)).toMatchObject({ afterMs: 9 });
  });

  test("its cause is kept", () => {
    const cause = new Error("socket closed");
    expect(outcomeOfThrown(new RetryAfter("429", { afterMs: 9, cause }), defaultBackoff, 1)).toMatchObject({
      error: { cause: { name: "Error", message: "socket closed", stack: cause.stack } },
    });
  });
});
