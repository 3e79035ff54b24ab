import { expect, test } from "vitest";
import { redact, redactText } from "./redact.ts";

test.each<[unknown, unknown]>([
  [
    { url: "u", password: "p" },
    { url: "u", password: "[redacted]" },
  ],
  [
    { user: { apiKey: "k", "api-key": "k", api_key: 1, APIKEY: "k" } },
    { user: { apiKey: "[redacted]", "api-key": "[redacted]", api_key: "[redacted]", APIKEY: "[redacted]" } },
  ],
  [
    { headers: [{ Authorization: "Bearer x" }, { "Set-Cookie": "a=b" }] },
    { headers: [{ Authorization: "[redacted]" }, { "Set-Cookie": "[redacted]" }] },
  ],
  [
    { clientSecret: { nested: 1 }, accessToken: null },
    { clientSecret: "[redacted]", accessToken: "[redacted]" },
  ],
  ["postgres://me:s3cret@db/app", "postgres://me:[redacted]@db/app"],
  [
    { big: 5n, at: new Date(0) },
    { big: "5", at: new Date(0) },
  ],
  [new Error("at https://u:p@host"), { name: "Error", message: "at https://u:[redacted]@host" }],
  [undefined, undefined],
  [7, 7],
])("%o is logged as %o", (value, logged) => {
  expect(redact(value)).toEqual(logged);
});

test("a cycle and a deep value end after a few levels", () => {
  const cyclic: Record<string, unknown> = { a: 1 };
  cyclic.self = cyclic;
  expect(JSON.stringify(redact(cyclic))).toMatch(/^\{"a":1,"self":\{.*"\[…\]"\}+$/);
});

test("a long list is cut", () => {
  expect(redact(Array.from({ length: 1_000 }, () => 1))).toHaveLength(100);
});

test("the value itself is left as it was", () => {
  const value = { token: "t" };
  redact(value);
  expect(value).toEqual({ token: "t" });
});

test("what cannot be read is said to be so", () => {
  const hostile = {
    get a() {
      throw new Error("no");
    },
  };
  expect(redact(hostile)).toBe("[unreadable]");
});

test("text without a password in a URL is left as it was", () => {
  const text = "see https://example.com:8080/a@b, write to me@example.com at 12:30";
  expect(redactText(text)).toBe(text);
});
