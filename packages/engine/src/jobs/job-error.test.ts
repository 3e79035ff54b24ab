import { describe, expect, test } from "vitest";
import { jobErrorOf } from "./job-error.ts";

function jsonBytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
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

  test("with its causes, shortly, in the stack", () => {
    const root = new RangeError("disk full");
    const error = new Error("saving failed", { cause: new Error("write failed", { cause: root }) });
    const { stack } = jobErrorOf(error);
    expect(stack).toMatch(/^Error: saving failed\n {4}at /);
    expect(stack).toMatch(/\nCaused by: Error: write failed\n {4}at /);
    expect(stack).toMatch(/\nCaused by: RangeError: disk full\n {4}at /);
  });

  test("with causes that are no errors", () => {
    expect(jobErrorOf(new Error("a", { cause: "the weather" })).stack).toMatch(
      /Caused by: NonError: the weather/,
    );
  });

  test("without end when its causes go round in a circle, or are very many", () => {
    const circular = new Error("a");
    circular.cause = new Error("b", { cause: circular });
    expect(jobErrorOf(circular).stack?.match(/Caused by/g)).toHaveLength(1);
    let deep = new Error("0");
    for (let depth = 1; depth < 1_000; depth++) deep = new Error(String(depth), { cause: deep });
    expect(jobErrorOf(deep).stack?.match(/Caused by/g)).toHaveLength(4);
  });

  test("with the messages of its errors when it has none of its own", () => {
    const refused = new AggregateError([new Error("connect ::1:5432"), new Error("connect 127.0.0.1:5432")]);
    expect(jobErrorOf(refused)).toMatchObject({
      name: "AggregateError",
      message: "connect ::1:5432; connect 127.0.0.1:5432",
    });
    const circular = new AggregateError([]);
    circular.errors.push(circular);
    expect(jobErrorOf(circular).name).toBe("AggregateError");
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
      message: "A value that cannot be read was thrown",
    });
  });
});
