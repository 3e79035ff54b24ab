import { describe, expect, test } from "vitest";
import type { ErrorCause } from "../reading/job.ts";
import { jobErrorOf } from "./job-error.ts";

function jsonBytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

const unreadable = "A value that cannot be read was thrown";

/** From the outermost down to the root. */
function messagesOf(error: ErrorCause | undefined): string[] {
  return error === undefined ? [] : [error.message, ...messagesOf(error.cause)];
}

function hostileObject(): object {
  return {
    get message() {
      throw new Error("no");
    },
    get stack() {
      throw new Error("no");
    },
    toJSON() {
      throw new Error("no");
    },
    get [Symbol.toStringTag]() {
      throw new Error("no");
    },
  };
}

function hostileProxy(): object {
  const refuse = () => {
    throw new Error("no");
  };
  return new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse });
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function cyclicObject(): object {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  return cyclic;
}

describe("an error is recorded", () => {
  test("with its name, message, code and stack", () => {
    const error = Object.assign(new TypeError("fetch failed"), { code: "ECONNREFUSED" });
    expect(jobErrorOf(error)).toEqual({
      name: "TypeError",
      message: "fetch failed",
      code: "ECONNREFUSED",
      stack: error.stack,
    });
  });

  test("with its causes as errors of their own, each with its own stack", () => {
    const root = Object.assign(new RangeError("disk full"), { code: "ENOSPC" });
    const middle = new Error("write failed", { cause: root });
    const error = new Error("saving failed", { cause: middle });
    expect(jobErrorOf(error)).toEqual({
      name: "Error",
      message: "saving failed",
      stack: error.stack,
      cause: {
        name: "Error",
        message: "write failed",
        stack: middle.stack,
        cause: { name: "RangeError", message: "disk full", code: "ENOSPC", stack: root.stack },
      },
    });
  });

  test.each<[string, unknown, object | undefined]>([
    ["text", "the weather", { name: "NonError", message: "the weather" }],
    ["a number", 0, { name: "NonError", message: "0" }],
    ["a plain object", { status: 503 }, { name: "NonError", message: '{"status":503}' }],
    ["a Proxy that refuses everything", hostileProxy(), { name: "NonError", message: unreadable }],
    ["a revoked Proxy", revokedProxy(), { name: "NonError", message: unreadable }],
    ["null", null, undefined],
    ["undefined", undefined, undefined],
  ])("with a cause that is %s", (_what, cause, recorded) => {
    expect(jobErrorOf(new Error("a", { cause }))).toMatchObject({ name: "Error", message: "a" });
    expect(jobErrorOf(new Error("a", { cause })).cause).toEqual(recorded);
  });

  test("without a cause or errors that cannot be read", () => {
    const refuse = () => {
      throw new Error("no");
    };
    const error = Object.defineProperty(new Error("a"), "cause", { get: refuse });
    expect(jobErrorOf(error)).toEqual({ name: "Error", message: "a", stack: error.stack });
    const errors = Object.assign(new Error("a"), { errors: revokedProxy() });
    expect(jobErrorOf(errors)).toEqual({ name: "Error", message: "a", stack: errors.stack });
  });

  test("without end when its causes go round in a circle, or are very many", () => {
    const circular = new Error("a");
    circular.cause = new Error("b", { cause: circular });
    expect(messagesOf(jobErrorOf(circular))).toEqual(["a", "b"]);
    let deep = new Error("0");
    for (let depth = 1; depth < 1_000; depth++) deep = new Error(String(depth), { cause: deep });
    const recorded = jobErrorOf(deep);
    expect(messagesOf(recorded)).toEqual(["999", "998", "997", "996", "995", "994"]);
    expect(JSON.stringify(recorded).match(/"hasMoreCauses":true/g)).toHaveLength(1);
  });

  test("with the first of an AggregateError's errors, and how many more there were", () => {
    const errors = ["::1", "127.0.0.1", "10.0.0.1", "10.0.0.2"].map((host) => new Error(`connect ${host}`));
    const [first, ...others] = errors;
    const cause = new AggregateError([...errors, "no route"], "all refused");
    expect(jobErrorOf(new Error("no database", { cause })).cause).toEqual({
      name: "AggregateError",
      message: "all refused",
      stack: cause.stack,
      errors: [first, ...others.slice(0, 2)].map((error) => ({
        name: "Error",
        message: error?.message,
        stack: error?.stack,
      })),
      moreErrors: 2,
    });
    expect(jobErrorOf(new AggregateError(["no route"], "none")).errors).toEqual([
      { name: "NonError", message: "no route" },
    ]);
  });

  test("without the list of issues of a validator, which are no errors", () => {
    const issues = Object.assign(new Error("invalid"), { errors: [{ path: ["a"], message: "Required" }] });
    expect(jobErrorOf(issues)).toEqual({ name: "Error", message: "invalid", stack: issues.stack });
  });

  test("with the messages of its errors when it has none of its own", () => {
    const refused = new AggregateError([new Error("connect ::1:5432"), new Error("connect 127.0.0.1:5432")]);
    expect(jobErrorOf(refused)).toMatchObject({
      name: "AggregateError",
      message: "connect ::1:5432; connect 127.0.0.1:5432",
    });
    const circular = new AggregateError([]);
    circular.errors.push(circular);
    expect(jobErrorOf(circular)).toEqual({ name: "AggregateError", message: "", stack: circular.stack });
  });

  test("with text PostgreSQL can store", () => {
    const error = Object.assign(new Error("nul \0 and half \ud83d"), { code: "c\0", name: "N\0" });
    const recorded = jobErrorOf(error);
    expect(recorded).toMatchObject({
      name: "N\uFFFD",
      message: "nul \uFFFD and half \uFFFD",
      code: "c\uFFFD",
    });
    expect(JSON.stringify(recorded)).not.toMatch(/\\u0000|\\ud/);
  });
});

function chainOf(text: string): Error {
  let error = Object.assign(new Error(text), { name: text, code: text });
  for (let depth = 0; depth < 8; depth++) {
    error = Object.assign(new Error(text, { cause: error }), { name: text, code: text });
  }
  return error;
}

describe("a message of 10 MB", () => {
  const text = "x".repeat(10_000_000);
  const escapes = "\u0001".repeat(10_000_000);
  const otherEscapes = "\u0002".repeat(10_000_000);
  test.each<[string, unknown]>([
    ["of letters", new Error(text)],
    ["of characters that JSON escapes", new Error(escapes)],
    ["of emoji", new Error("😀".repeat(5_000_000))],
    ["thrown as text", text],
    ["in a property", { message: text, name: text, code: text, stack: text }],
    ["of escapes in every property", { message: escapes, name: escapes, code: escapes, stack: otherEscapes }],
    ["in a cause", new Error("a", { cause: new Error(text) })],
    ["of escapes in it and in every cause", chainOf(escapes)],
    [
      "in the causes of all errors of an AggregateError",
      new AggregateError(
        Array(1_000)
          .fill(0)
          .map(() => chainOf(text)),
      ),
    ],
    ["inside a plain object", { text }],
  ])("%s is cut to 8 KiB of JSON", (_what, thrown) => {
    const recorded = jobErrorOf(thrown);
    expect(jsonBytesOf({ ...recorded, permanent: true })).toBeLessThanOrEqual(8_192);
    expect(recorded.name.length).toBeLessThanOrEqual(200);
    expect(recorded.message).not.toBe("");
  });

  test("still leaves room for the frames of the stack", () => {
    expect(jobErrorOf(new Error(text)).stack).toMatch(/^Error: x+…\n {4}at .*job-error\.test/);
  });

  test("leaves room for the frames of the causes, and short stacks leave theirs to the long ones", () => {
    const long = (name: string) => `Error: ${name}${"\n    at somewhere (/a/file.ts:1:1)".repeat(100)}`;
    const short = Object.assign(new Error("c"), { stack: "Error: c\n    at x" });
    const cause = Object.assign(new Error("b", { cause: short }), { stack: long("b") });
    const error = jobErrorOf(Object.assign(new Error("a", { cause }), { stack: long("a") }));
    expect(error.stack?.length).toBeGreaterThan(2_900);
    expect(error.cause?.stack?.length).toBeGreaterThan(2_900);
    const { stack, cause: inner } = jobErrorOf(chainOf("m"));
    expect(stack).toMatch(/^m: m\n {4}at .*job-error\.test/);
    expect(inner?.cause?.cause?.cause?.cause?.stack).toMatch(/^m: m\n {4}at .*job-error\.test/);
  });

  test("leaves 1,500 bytes to the stacks, however many causes have long messages too", () => {
    const errors = Array.from({ length: 3 }, () => new Error(text, { cause: new Error(text) }));
    const { stack = "", errors: kept = [] } = jobErrorOf(new AggregateError(errors, text));
    const stacks = [stack, ...kept.flatMap((one) => [one.stack ?? "", one.cause?.stack ?? ""])];
    expect(kept).toHaveLength(3);
    expect(stacks.join("").length).toBeGreaterThan(1_400);
  });

  test("is not cut in the middle of a character", () => {
    expect(jobErrorOf(new Error(`a${"😀".repeat(5_000_000)}`)).message).not.toMatch(/\p{Surrogate}|\uFFFD/u);
  });
});

describe("whatever is thrown becomes a record", () => {
  test.each<[string, unknown, object]>([
    ["text", "no luck", { name: "NonError", message: "no luck" }],
    ["null", null, { name: "NonError", message: "null" }],
    ["undefined", undefined, { name: "NonError", message: "undefined" }],
    ["a number", 42, { name: "NonError", message: "42" }],
    ["a BigInt", 42n, { name: "NonError", message: "42" }],
    ["a symbol", Symbol("s"), { name: "NonError", message: "Symbol(s)" }],
    ["an empty text", "", { name: "NonError", message: "" }],
    ["a plain object", { status: 503 }, { name: "NonError", message: '{"status":503}' }],
    ["an array", [1, 2], { name: "NonError", message: "[1,2]" }],
    [
      "an object with message and code",
      { message: "gone", code: 410 },
      { name: "NonError", message: "gone", code: "410" },
    ],
    ["a cyclic object", cyclicObject(), { name: "NonError", message: "[object Object]" }],
    ["an object without a prototype", Object.create(null), { name: "NonError", message: "{}" }],
    ["an object whose getters throw", hostileObject(), { name: "NonError" }],
    ["a Proxy that refuses everything", hostileProxy(), { name: "NonError" }],
    ["a revoked Proxy", revokedProxy(), { name: "NonError" }],
    ["an error without a message", new Error(""), { name: "Error", message: "" }],
    ["an error with a name that is no text", Object.assign(new Error("m"), { name: 7 }), { name: "Error" }],
    [
      "an error with a message that is no text",
      Object.assign(new Error("m"), { message: {} }),
      { name: "Error" },
    ],
  ])("%s", (_what, thrown, record) => {
    expect(jobErrorOf(thrown)).toMatchObject(record);
  });

  test("a function that cannot be shown", () => {
    const hidden = Object.assign(() => 1, {
      toString() {
        throw new Error("no");
      },
    });
    expect(jobErrorOf(hidden)).toEqual({
      name: "NonError",
      message: unreadable,
    });
  });
});
