import { inspect } from "node:util";
import fc from "fast-check";
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

test("whatever is logged, nothing under a key that smells of a secret is in it", () => {
  const canary = "c4n4ry";
  const secretKey = fc
    .tuple(
      fc.constantFrom("password", "clientSecret", "Token", "authorization", "api_key", "Cookie"),
      fc.string(),
    )
    .map(([key, more]) => key + more);
  const withSecret = fc
    .tuple(fc.array(fc.oneof(fc.string(), fc.nat(3)), { maxLength: 4 }), secretKey, fc.anything())
    .map(([path, key, beside]) =>
      path.reduceRight<unknown>(
        (inner, step) => (typeof step === "number" ? [beside, inner] : { beside, [step]: inner }),
        { [key]: { deep: [canary] } },
      ),
    );
  fc.assert(
    fc.property(withSecret, (value) => {
      expect(inspect(redact(value), { depth: null })).not.toContain(canary);
    }),
    { numRuns: 2_000 },
  );
});

test("a password in any URL of a text is hidden", () => {
  const word = fc.stringMatching(/^[a-z0-9.+-]{1,12}$/);
  fc.assert(
    fc.property(word, word, word, fc.string(), (scheme, user, host, text) => {
      const shown = redactText(`${text} ${scheme}://${user}:c4n4ry@${host}/x`);
      expect(shown).not.toContain("c4n4ry");
    }),
    { numRuns: 10_000 },
  );
});
