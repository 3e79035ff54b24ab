import { describe, expect, test } from "vitest";
import { PermanentError } from "../outcomes/permanent-error.ts";
import {
  encodeAside,
  encodeOutput,
  encodePayload,
  InvalidOutputError,
  InvalidPayloadError,
  PayloadTooLargeError,
} from "./json-value.ts";

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function doubling(levels: number): unknown {
  let value: unknown = ["x"];
  for (let level = 0; level < levels; level++) value = [value, value];
  return value;
}

function cyclic(): object {
  const value: Record<string, unknown> = { list: [] };
  (value.list as unknown[]).push({ back: value });
  return value;
}

const hostileGetter = {
  get a() {
    throw new Error("no");
  },
};

const carried: [string, unknown, string][] = [
  ["an object", { url: "https://example.com", depth: 2 }, '{"url":"https://example.com","depth":2}'],
  ["an array", [1, "two", null, true], '[1,"two",null,true]'],
  ["text", "text", '"text"'],
  ["null", null, "null"],
  ["zero", 0, "0"],
  ["false", false, "false"],
  ["a property that is undefined", { a: 1, b: undefined }, '{"a":1}'],
  ["an array with a hole", [1, undefined], "[1,null]"],
  ["a date", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  ["toJSON with its key", { money: { toJSON: (key: string) => ({ key }) } }, '{"money":{"key":"money"}}'],
  [
    "a class instance",
    new (class Point {
      x = 1;
      y = [2];
    })(),
    '{"x":1,"y":[2]}',
  ],
  ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ["boxed primitives", [new Number(1), new String("s"), new Boolean(false)], '[1,"s",false]'],
  ["the letters of an escape", { a: "\\u0000 \\ud800" }, '{"a":"\\\\u0000 \\\\ud800"}'],
  ["other control characters", "\u0001\n", '"\\u0001\\n"'],
  ["emoji and a key of emoji", { "😀": "👍🏽" }, '{"😀":"👍🏽"}'],
  ["a key named __proto__", JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
  [
    "__proto__ beside a date",
    Object.assign(JSON.parse('{"__proto__":1}'), { d: new Date(0) }),
    '{"__proto__":1,"d":"1970-01-01T00:00:00.000Z"}',
  ],
  [
    "the same object twice",
    (() => {
      const a = { b: 1 };
      return [a, a, { a }];
    })(),
    '[{"b":1},{"b":1},{"a":{"b":1}}]',
  ],
  ["a symbol key", { a: 1, [Symbol("s")]: 2 }, '{"a":1}'],
];

describe("a payload is encoded", () => {
  test.each(carried)("%s", (_what, payload, text) => {
    expect(encodePayload(payload)).toBe(text);
  });

  test("undefined as null", () => {
    expect(encodePayload(undefined)).toBe("null");
  });

  test("at its greatest depth", () => {
    expect(JSON.parse(encodePayload(nested(64)))).toEqual(nested(64));
  });

  test("at its greatest size, counted in bytes", () => {
    expect(encodePayload("a".repeat(262_142))).toHaveLength(262_144);
    expect(Buffer.byteLength(encodePayload(`${"é".repeat(131_070)}aa`))).toBe(262_144);
    // PostgreSQL writes a space after each comma, so an item takes eight bytes here.
    const items = Array.from({ length: 32_768 }, () => [[[]]]);
    expect(encodePayload(items)).toHaveLength(7 * 32_768 + 1);
    const withDate = [new Date(0), ...items.slice(4)];
    expect(encodePayload(withDate)).toHaveLength(26 + 7 * 32_764 + 2);
  });
});

describe("a payload is refused, with a pointer and a sentence", () => {
  test.each<[string, unknown, string, string]>([
    ["NUL", { a: ["x\0"] }, "/a/0", "/a/0 holds a NUL character, which PostgreSQL cannot store"],
    ["NUL in a key", { a: { "x\0": 1 } }, "/a", "/a has a key with a NUL character"],
    ["NUL behind escapes", { a: "\\\\\n\0" }, "/a", "a NUL character"],
    ["NUL by toJSON", { a: { toJSON: () => "\0" } }, "/a", "a NUL character"],
    ["half a surrogate pair", { a: { b: "x\ud83d" } }, "/a/b", "holds half of a surrogate pair"],
    ["the other half", "\ude00", "", "it holds half of a surrogate pair"],
    ["half in a key", { "\ud83d": 1 }, "", "has a key with half of a surrogate pair"],
    ["NaN", { a: [1, Number.NaN] }, "/a/1", "/a/1 is NaN, which JSON cannot carry"],
    ["Infinity", Number.NEGATIVE_INFINITY, "", "it is -Infinity"],
    ["a BigInt", { id: 5n }, "/id", "/id is a BigInt, which JSON cannot carry: give it as a string"],
    ["a function", { a: { b: () => 1 } }, "/a/b", "/a/b is a function"],
    ["a function alone", () => 1, "", "it is a function"],
    ["a symbol", [Symbol("s")], "/0", "/0 is a symbol"],
    ["a Map", { m: new Map([[1, 2]]) }, "/m", "/m is a Map, which JSON would turn into {}"],
    ["a Set", { s: new Set() }, "/s", "/s is a Set"],
    ["a forgotten await", { p: Promise.resolve(1) }, "/p", "/p is a Promise"],
    ["a cycle", cyclic(), "/list/0/back", "refers back to a value that holds it"],
    ["65 levels", nested(65), "/0".concat("/a/0".repeat(31), "/a"), "is nested deeper than 64 levels"],
    ["a getter that throws", { x: hostileGetter }, "/x/a", "/x/a cannot be read"],
    [
      "toJSON that throws",
      {
        x: {
          toJSON: () => {
            throw new Error("no");
          },
        },
      },
      "/x",
      "/x cannot be read",
    ],
    ["a key that needs escaping", { "a/b~c": 1n }, "/a~1b~0c", "is a BigInt"],
  ])("for %s", (_what, payload, pointer, sentence) => {
    const encode = () => encodePayload(payload);
    expect(encode).toThrow(InvalidPayloadError);
    expect(encode).toThrow(PermanentError);
    expect(encode).toThrow(sentence);
    expect(encode).toThrow(expect.objectContaining({ pointer, code: "invalid_payload" }));
  });

  test("for 100,000 levels", () => {
    expect(() => encodePayload(nested(100_000))).toThrow("is nested deeper than 64 levels");
  });

  test.each<[string, unknown]>([
    ["one byte too many", "a".repeat(262_143)],
    ["one byte too many beside a date", [new Date(0), "a".repeat(262_144 - 30)]],
    ["one item too many", Array.from({ length: 32_769 }, () => [[[]]])],
    ["numbers that PostgreSQL writes out", Array.from({ length: 1_000 }, () => Number.MAX_VALUE)],
    ["too many bytes in few characters", "€".repeat(100_000)],
    ["too many escapes", "\u0001".repeat(50_000)],
    ["too many small parts", Array.from({ length: 200_000 }, () => 1)],
    ["a very long empty array", new Array(1_000_000_000)],
    ["parts that double at each level", doubling(60)],
    ["too long keys", { ["k".repeat(300_000)]: 1 }],
  ])("for %s, as too large", (_what, payload) => {
    const encode = () => encodePayload(payload);
    expect(encode).toThrow(PayloadTooLargeError);
    expect(encode).toThrow("The payload is larger than 256 KiB");
    expect(encode).toThrow(expect.objectContaining({ code: "payload_too_large" }));
  });

  test("for a Proxy that refuses everything", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(() => encodePayload({ a: proxy })).toThrow(InvalidPayloadError);
  });
});

describe("an output is encoded", () => {
  test.each(carried)("%s", (_what, output, text) => {
    expect(encodeOutput(output)).toBe(text);
  });

  test("undefined as nothing at all", () => {
    expect(encodeOutput(undefined)).toBeNull();
  });

  test.each<[string, unknown, string]>([
    ["half surrogate pairs replaced", ["\ud83d", "x\ude00"], '["\uFFFD","x\uFFFD"]'],
    ["the six letters of an escaped NUL left alone", "\\u0000\n", '"\\\\u0000\\n"'],
    ["functions and symbols left out", { a: () => 1, b: Symbol("s"), c: [() => 1] }, '{"c":[null]}'],
  ])("with %s", (_what, output, text) => {
    expect(encodeOutput(output)).toBe(text);
    expect(() => JSON.parse(text)).not.toThrow();
  });

  test("up to 1 MiB", () => {
    expect(encodeOutput("a".repeat(1_048_574))).toHaveLength(1_048_576);
  });
});

describe("what is said beside an output is encoded", () => {
  test.each<[string, unknown, string]>([
    ["NUL replaced", { "k\0": "a\0b" }, '{"k\uFFFD":"a\uFFFDb"}'],
    ["escapes around NUL left alone", "\\\0\\u0000\n", '"\\\\\uFFFD\\\\u0000\\n"'],
    ["numbers that are none as null", [Number.NaN, Number.POSITIVE_INFINITY], "[null,null]"],
  ])("with %s", (_what, value, text) => {
    expect(encodeAside(value)).toBe(text);
    expect(() => JSON.parse(text)).not.toThrow();
  });
});

describe("an output is refused", () => {
  test.each<[string, unknown, string]>([
    ["a cycle", cyclic(), "/list/0/back refers back to a value that holds it"],
    ["a BigInt", { n: 1n }, "/n is a BigInt"],
    ["65 levels", nested(65), "is nested deeper than 64 levels"],
    ["more than 1 MiB", "a".repeat(1_048_575), "The output is larger than 1 MiB"],
    ["parts that double at each level", doubling(60), "The output is larger than 1 MiB"],
    ["a function alone", () => 1, "it is a function"],
    ["NaN", { list: [1, Number.NaN] }, "/list/1 is NaN, which JSON cannot carry"],
    ["Infinity", Number.POSITIVE_INFINITY, "it is Infinity"],
    ["NUL", { text: "a\0b" }, "/text holds a NUL character, which PostgreSQL cannot store"],
    ["NUL in a key", { at: { "k\0": 1 } }, "/at has a key with a NUL character"],
    ["NUL behind escapes", "\\\0\\u0000\n", "it holds a NUL character"],
    ["a Map", new Map(), "it is a Map"],
    ["a getter that throws", hostileGetter, "/a cannot be read"],
  ])("for %s", (_what, output, sentence) => {
    const encode = () => encodeOutput(output);
    expect(encode).toThrow(InvalidOutputError);
    expect(encode).toThrow(PermanentError);
    expect(encode).toThrow(sentence);
    expect(encode).toThrow(expect.objectContaining({ code: "invalid_output" }));
  });
});
