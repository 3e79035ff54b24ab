import { expect, test } from "vitest";
import { leavesOpen, UnknownOutcomeError } from "./unknown-outcome-error.ts";

const error = (parts: object) => Object.assign(new Error("oh"), parts);
const fetchFailed = (cause: unknown) => new TypeError("fetch failed", { cause });
class APIConnectionTimeoutError extends Error {}

test.each<[string, unknown, boolean]>([
  ["who says so", new UnknownOutcomeError("no answer"), true],
  ["an abort", new DOMException("aborted", "AbortError"), true],
  ["a timeout", new DOMException("timed out", "TimeoutError"), true],
  ["a timeout that only its class names", new APIConnectionTimeoutError("oh"), true],
  ["a connection that ended before the answer", fetchFailed(error({ code: "UND_ERR_SOCKET" })), true],
  ["a reset connection", error({ code: "ECONNRESET", syscall: "read" }), true],
  ["one of these as a cause", new Error("the provider failed", { cause: error({ code: "EPIPE" }) }), true],
  [
    "what throws when it is looked at",
    new Proxy(
      {},
      {
        get: () => {
          throw new Error("hands off");
        },
      },
    ),
    true,
  ],
  ["a plain error", new Error("400 Bad Request"), false],
  ["a refused connection", fetchFailed(error({ code: "ECONNREFUSED", syscall: "connect" })), false],
  ["a connection that was never made in time", error({ code: "ETIMEDOUT", syscall: "connect" }), false],
  ["undici's connect timeout", fetchFailed(error({ name: "ConnectTimeoutError" })), false],
  [
    "a connection that could be made to no address",
    fetchFailed(error({ code: "ETIMEDOUT", errors: [error({ syscall: "connect" })] })),
    false,
  ],
  ["a text", "timeout", false],
  ["nothing", undefined, false],
])("%s", (_what, thrown, isOpen) => {
  expect(leavesOpen(thrown)).toBe(isOpen);
});

test("a circle of causes has an end", () => {
  const circle = new Error("round");
  circle.cause = circle;
  expect(leavesOpen(circle)).toBe(false);
});
