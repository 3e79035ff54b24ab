import { inspect } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { looksSecret, redact, redactText } from "./redact.ts";

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

test.each<[string, unknown]>([
  ["inputTokens", 512],
  ["output_tokens", 0],
  ["max-tokens", 4_096],
  ["tokens", 4_211],
  ["tokensPerSecond", 31.5],
  ["tokenUsage", { input: 3, output: 5, cached: null }],
  ["tokenLimit", 10n],
  ["hasPassword", true],
  ["cookiesAccepted", false],
  ["testsPassed", 40],
  ["passengers", "Ada and Grace"],
])("%s: %o is a count or an answer, and is shown", (key, value) => {
  expect(looksSecret(key, value)).toBe(false);
});

test.each<[string, unknown]>([
  // A code that is asked for as a second factor is a number.
  ["token", 483_920],
  ["accountToken", 483_920],
  ["tokenSecret", 1],
  ["password", 1234],
  ["tokens", ["a"]],
  ["refreshTokens", [104, 105]],
  ["tokens", { github: "a" }],
  ["tokens", {}],
  ["inputTokens", "512"],
  ["userPass", "p"],
  ["passphrase", "p"],
])("%s: %o may be a secret, and is hidden", (key, value) => {
  expect(looksSecret(key, value)).toBe(true);
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
  const text =
    'see https://example.com:8080/a@b, http://[::1]:80/a@b, {"at":"http://localhost:80","to":"a@b"}, write to me@example.com at 12:30';
  expect(redactText(text)).toBe(text);
});

test.each([
  ["postgres://me:p/ss@db/app", "postgres://me:[redacted]@db/app"],
  ["postgres://me:p@ss@db/app", "postgres://me:[redacted]@db/app"],
  ["postgres://me:p@s/s?#:@db:5432/app?x=1", "postgres://me:[redacted]@db:5432/app?x=1"],
  ["postgres://me:12/34@db", "postgres://me:[redacted]@db"],
  ["postgres://me@tenant:p/w@db", "postgres://me@tenant:[redacted]@db"],
  ["redis://:p@ss@db, redis://b:q/r@e", "redis://:[redacted]@db, redis://b:[redacted]@e"],
  ["http://example.com:80/?to=ftp://a:b/c@d", "http://example.com:80/?to=ftp://a:[redacted]@d"],
])("the password of %s is hidden whole", (text, shown) => {
  expect(redactText(text)).toBe(shown);
});

test("a long text of hostile beginnings is looked through once", () => {
  const text = "://a.b:1/".repeat(100_000);
  expect(redactText(text)).toBe(text);
  expect(redactText(`${text}@`)).toBe(`${text}@`);
});

test("whatever is logged, nothing under a key that looks like a secret is in it", () => {
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
  const sign = fc.stringMatching(/^[!-~]{0,3}$/);
  fc.assert(
    fc.property(word, word, word, fc.string(), sign, sign, (scheme, user, host, text, before, after) => {
      const shown = redactText(`${text} ${scheme}://${user}:x${before}c4n4ry${after}@${host}/x`);
      expect(shown).not.toContain("c4n4ry");
    }),
    { numRuns: 10_000 },
  );
});
