import { APICallError, LoadAPIKeyError, NoObjectGeneratedError, TypeValidationError } from "ai";
import { LeaseLostError, PermanentError, RetryAfter, UnknownOutcomeError } from "lockstep";
import { expect, test } from "vitest";
import { z } from "zod";
import { ModelAnswerError, ModelFilterError, modelErrorOf } from "./model-error.ts";

const nowMs = Date.parse("2026-11-16T12:00:00Z");
const told = { about: "page 3", settings: "MODEL_NAME", nowMs };
const called = (statusCode: number | undefined, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: "no such key",
    url: "http://127.0.0.1/",
    requestBodyValues: {},
    responseHeaders,
    ...(statusCode === undefined ? {} : { statusCode }),
  });
const unfit = (finishReason: "stop" | "length" | "content-filter", cause?: Error) =>
  new NoObjectGeneratedError({
    response: { id: "1", timestamp: new Date(nowMs), modelId: "m" },
    usage: { inputTokens: 1_000, outputTokens: 50, totalTokens: 1_050 } as never,
    finishReason,
    ...(cause === undefined ? {} : { cause }),
  });

test.each([
  [400, PermanentError, "The model answered about page 3 with 400: no such key. See MODEL_NAME."],
  [401, PermanentError, "The model answered about page 3 with 401: no such key. See MODEL_NAME."],
  [404, PermanentError, "The model answered about page 3 with 404: no such key. See MODEL_NAME."],
  [429, Error, "The model answered about page 3 with 429: no such key"],
  [500, Error, "The model answered about page 3 with 500: no such key"],
  [529, Error, "The model answered about page 3 with 529: no such key"],
  [200, ModelAnswerError, "The model answered about page 3 with something that is not a model's answer."],
  [undefined, Error, "The model could not be asked about page 3: no such key"],
])("status %s is a %o: %s", (status, type, message) => {
  const cause = called(status);
  const error = modelErrorOf(cause, told);
  expect(error).toBeInstanceOf(type);
  expect(error.message).toBe(message);
  expect(error.cause).toBe(cause);
  if (type === Error) expect(error.constructor).toBe(Error);
});

test.each([429, 503, 529])("a provider that says %i and when to come again is asked again then", (status) => {
  const error = modelErrorOf(called(status, { "retry-after": "7" }), told);
  expect(error).toBeInstanceOf(RetryAfter);
  expect(error).toMatchObject({ afterMs: 7_000 });
});

test("a call without an answer in time has an unknown outcome: it may have been answered, and paid for", () => {
  const error = modelErrorOf(new DOMException("Step timeout of 200ms exceeded", "TimeoutError"));
  expect(error).toBeInstanceOf(UnknownOutcomeError);
  expect(error.message).toBe("The model had no answer in time: Step timeout of 200ms exceeded");
});

test("an answer in another form says what is wrong with it and what it cost", () => {
  const found = z.object({ points: z.array(z.string()) }).safeParse({ points: "many" }).error;
  const validation = new TypeValidationError({ value: {}, cause: found });
  const error = modelErrorOf(unfit("stop", validation));
  expect(error).toBeInstanceOf(ModelAnswerError);
  expect(error.message).toBe(
    "The model answered in a different form than asked for: points: Invalid input: expected array, received string. It cost 1050 tokens.",
  );
  expect(error).toMatchObject({ usage: { inputTokens: 1_000, outputTokens: 50, totalTokens: 1_050 } });
  expect(modelErrorOf(unfit("length")).message).toContain("it was cut at maxOutputTokens");
});

test("what a filter held back is not asked for again", () => {
  const error = modelErrorOf(unfit("content-filter"), told);
  expect(error).toBeInstanceOf(ModelFilterError);
  expect(error).toBeInstanceOf(PermanentError);
});

test("what is wrong in every attempt is final, and what the engine said is left as it is", () => {
  expect(modelErrorOf(new LoadAPIKeyError({ message: "set OPENAI_API_KEY" }))).toBeInstanceOf(PermanentError);
  const lost = new LeaseLostError("id", "");
  expect(modelErrorOf(lost)).toBe(lost);
});

test("an error that a provider tells as data is told in its words, and a long one is cut", () => {
  expect(modelErrorOf({ message: "overloaded" }).message).toBe("The model could not be asked: overloaded");
  expect(modelErrorOf("x".repeat(9_999)).message.length).toBeLessThan(600);
});
