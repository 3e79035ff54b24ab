import { secretKeyPattern } from "lockstep/internal";
import { describe, expect, test } from "vitest";
import { pointerComplaint } from "./json-pointer.ts";
import { Redactor } from "./redactor.ts";

const hidden = "[redacted]";

test("what stands under a key that looks like a secret is hidden, however deep", () => {
  const redactor = new Redactor([], secretKeyPattern);
  const job = {
    id: "a",
    payload: { user: "u", login: [{ passWord: "p", note: "n" }] },
    outputs: { read: { apiKey: "k" } },
    result: { secret: "s" },
    progress: { percent: 40, note: "n", data: { authorization: "a" } },
    attempts: [{ stage: "read", log: [{ message: "m", data: { cookie: { a: 1 } } }] }],
    error: { message: "m", token: "t" },
    effects: [{ key: "charge", value: { apiKey: "k" } }],
  };
  expect(redactor.job(job)).toEqual({
    id: "a",
    payload: { user: "u", login: [{ passWord: hidden, note: "n" }] },
    outputs: { read: { apiKey: hidden } },
    result: { secret: hidden },
    progress: { percent: 40, note: "n", data: { authorization: hidden } },
    attempts: [{ stage: "read", log: [{ message: "m", data: { cookie: hidden } }] }],
    error: { message: "m", token: hidden },
    effects: [{ key: "charge", value: { apiKey: hidden } }],
  });
  expect(job.payload.login[0]?.passWord).toBe("p");
});

test("the password of a URL is hidden in any text, unless nothing is to be", () => {
  const job = {
    error: { message: "no answer from https://me:pw@example.com/a" },
    payload: ["ftp://a:b@c", "a:b@c"],
  };
  expect(new Redactor([], secretKeyPattern).job(job)).toEqual({
    error: { message: "no answer from https://me:[redacted]@example.com/a" },
    payload: ["ftp://a:[redacted]@c", "a:b@c"],
  });
  expect(new Redactor([], null).job(job)).toBe(job);
});

test("counts are no secrets by the pattern of ours, and are hidden by one that was set", () => {
  const job = { outputs: { ask: { inputTokens: 512, output_tokens: 40, token: "t", hasPassword: true } } };
  expect(new Redactor([], secretKeyPattern).job(job)).toEqual({
    outputs: { ask: { inputTokens: 512, output_tokens: 40, token: hidden, hasPassword: true } },
  });
  expect(new Redactor([], /inputTokens/).job(job)).toEqual({
    outputs: { ask: { inputTokens: hidden, output_tokens: 40, token: "t", hasPassword: true } },
  });
});

test("a pattern with the flags g and y, which remember where they were, hides every time", () => {
  const redactor = new Redactor([], /pin/giy);
  const payload = { pin: 1, PIN: 2, pinNumber: 3 };
  const shown = { pin: hidden, PIN: hidden, pinNumber: hidden };
  expect([1, 2].map(() => redactor.job({ payload }))).toEqual([{ payload: shown }, { payload: shown }]);
});

test("it tells where in a payload something is hidden, and where only the mark of it came back", () => {
  const redactor = new Redactor(["/payload/items/*/key"], secretKeyPattern);
  const payload = {
    note: "[redacted]",
    "a/b": { password: "p", apiKey: "", token: null },
    items: [{ key: 1 }, { key: null, at: "ftp://a:b@c" }],
  };
  const pointers = ["/a~1b/password", "/items/0/key", "/items/1/at"];
  expect(redactor.hiddenIn(payload)).toEqual(pointers);
  expect(redactor.marksIn(payload)).toEqual([]);
  const [shown] = [redactor.job({ payload }).payload];
  expect(redactor.marksIn(shown)).toEqual(pointers);
  expect(redactor.hiddenIn(shown)).toEqual(pointers);
  expect(new Redactor([], null).marksIn(shown)).toEqual([]);
  expect(new Redactor(["/payload"], null).hiddenIn(payload)).toEqual([""]);
});

test("only what handlers and callers gave is looked at", () => {
  const job = { id: "a", claimToken: "seen", payload: null };
  expect(new Redactor([], secretKeyPattern).job(job)).toBe(job);
});

describe("pointers", () => {
  const cases: [string, string, unknown, unknown][] = [
    [
      "a plain one",
      "/payload/card/number",
      { card: { number: 1, name: 2 } },
      { card: { number: hidden, name: 2 } },
    ],
    ["a whole part", "/payload/card", { card: { number: 1 } }, { card: hidden }],
    [
      "any index",
      "/payload/items/*/key",
      { items: [{ key: 1 }, { key: 2 }] },
      { items: [{ key: hidden }, { key: hidden }] },
    ],
    ["one index", "/payload/items/1", { items: [1, 2] }, { items: [1, hidden] }],
    ["an escaped key", "/payload/a~1b/~0", { "a/b": { "~": 1 } }, { "a/b": { "~": hidden } }],
    ["the payload itself", "/payload", { a: 1 }, hidden],
    ["nothing there", "/payload/other", { card: 1 }, { card: 1 }],
    ["nothing to hide", "/payload/card", { card: null }, { card: null }],
  ];
  test.each(cases)("%s: %s", (_name, pointer, payload, shown) => {
    expect(new Redactor([pointer], null).job({ payload })).toEqual({ payload: shown });
  });

  test("a key named __proto__ is data like any other", () => {
    const payload = JSON.parse('{"__proto__":{"x":1},"card":1}') as object;
    expect(JSON.stringify(new Redactor(["/payload/__proto__/x"], null).job({ payload }))).toBe(
      '{"payload":{"__proto__":{"x":"[redacted]"},"card":1}}',
    );
  });

  test.each(["payload/card", "/", "/payload/", "/payload/~2", "/status/x", "/id", 7])(
    "%s is refused",
    (pointer) => {
      expect(pointerComplaint([pointer])).not.toBeNull();
    },
  );
});

describe("a preview", () => {
  const redactor = new Redactor(["/payload/card/number", "/payload/*/iban"], secretKeyPattern);
  const cases: [string, string | null][] = [
    ['{"url": "https://example.com"}', '{"url": "https://example.com"}'],
    ['{"card": {"number": "4111"}}', '{"card":{"number":"[redacted]"}}'],
    ['{"card": {"number": "41', null],
    ['{"card": {"na', '{"card": {"na'],
    ['{"bank": {"iban": "DE1', null],
    ['{"password": "hun', null],
    ['{"at": "https://me:pw@example.com"}', '{"at":"https://me:[redacted]@example.com"}'],
    ['{"at": "https://me:p', null],
    ['{"at": "https://example.com/a:b', '{"at": "https://example.com/a:b'],
    ['{"at": "https://me:p/w', null],
    ['{"at": "https://example.com:80/a', '{"at": "https://example.com:80/a'],
    ['{"maxTokens": 51', '{"maxTokens": 51'],
    ['{"password": "hunter2"}', '{"password":"[redacted]"}'],
  ];
  test.each(cases)("%s becomes %s", (text, shown) => {
    expect(redactor.preview(text)).toBe(shown);
  });
});
