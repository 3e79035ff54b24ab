import { APICallError, NoObjectGeneratedError } from "ai";
import { PermanentError, RetryAfter, UnknownOutcomeError } from "lockstep";
import { expect, test } from "vitest";
import { ModelAnswerError, modelErrorOf, questionAbout } from "./model-error.ts";

const nowMs = Date.parse("2026-11-16T12:00:00Z");
const failed = {
  words: questionAbout("page 3"),
  settings: "MODEL_NAME",
  timedOutMs: null,
  isLateUnknown: false,
  nowMs,
};
const called = (statusCode: number | undefined, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: "no such key",
    url: "http://127.0.0.1/",
    requestBodyValues: {},
    responseHeaders,
    ...(statusCode === undefined ? {} : { statusCode }),
  });

test.each([
  [401, PermanentError, "The model answered about page 3 with 401: no such key. See MODEL_NAME."],
  [404, PermanentError, "The model answered about page 3 with 404: no such key. See MODEL_NAME."],
  [429, Error, "The model answered about page 3 with 429: no such key"],
  [500, Error, "The model answered about page 3 with 500: no such key"],
  [200, ModelAnswerError, "The model answered about page 3 with something that is not a model's answer."],
  [undefined, Error, "The model could not be asked about page 3: no such key"],
])("status %s is a %o: %s", (status, type, message) => {
  const cause = called(status);
  const error = modelErrorOf(cause, failed);
  expect(error).toBeInstanceOf(type);
  expect(error.message).toBe(message);
  expect(error.cause).toBe(cause);
  if (type === Error) expect(error.constructor).toBe(Error);
});

test.each([
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after": "Mon, 16 Nov 2026 12:00:30 GMT" }, 30_000],
  [{ "retry-after-ms": "1500", "retry-after": "7" }, 1_500],
])("a provider that asks with %j to wait is asked again after %s ms", (headers, afterMs) => {
  const error = modelErrorOf(called(429, headers), failed);
  expect(error).toBeInstanceOf(RetryAfter);
  expect(error).toMatchObject({ afterMs });
});

test("a question without an answer in time has failed, or has an unknown outcome where the answer is paid for", () => {
  const late = { ...failed, timedOutMs: 200 };
  const error = modelErrorOf(new Error("aborted"), late);
  expect(error.message).toBe("The model had no answer about page 3 within 200 ms.");
  expect(error).not.toBeInstanceOf(UnknownOutcomeError);
  expect(modelErrorOf(new Error("aborted"), { ...late, isLateUnknown: true })).toBeInstanceOf(
    UnknownOutcomeError,
  );
});

test("an answer in another form says what it cost", () => {
  const error = modelErrorOf(
    new NoObjectGeneratedError({
      response: { id: "1", timestamp: new Date(nowMs), modelId: "m" },
      usage: { inputTokens: 1_000, outputTokens: 50, totalTokens: 1_050 } as never,
      finishReason: "stop",
    }),
    { ...failed, words: questionAbout() },
  );
  expect(error).toBeInstanceOf(ModelAnswerError);
  expect(error.message).toBe("The model answered in a different form than asked for. It cost 1050 tokens.");
});

test("a long message is cut", () => {
  expect(modelErrorOf(new Error("x".repeat(9_999)), failed).message.length).toBeLessThan(600);
});
