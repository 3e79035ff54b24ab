import fc from "fast-check";
import { expect, test } from "vitest";
import { type Characters, RobotsPattern } from "./robots-pattern.ts";

test.each([
  ["/", "/anything", true],
  ["/fish", "/fish.html", true],
  ["/fish", "/Fish", false],
  ["/fish*", "/fish", true],
  ["/fish/", "/fish", false],
  ["/*.php", "/folder/a.php?x=1", true],
  ["/*.php", "/windows.PHP", false],
  ["/*.php$", "/a.php", true],
  ["/*.php$", "/a.php/", false],
  ["/fish*.php", "/fishheads/a.php?x=1", true],
  ["/$", "/", true],
  ["/$", "/a", false],
  ["$", "/", false],
  ["*$", "/a", true],
  ["/a$b", "/a$b/c", true],
  ["/**a***b", "/xaxb", true],
  ["/ab*ab$", "/ab", false],
  ["/ab*ab$", "/abab", true],
  ["*aab*ab$", "/aaabab", true],
  ["/ä", "/%C3%A4", true],
  ["/%c3%a4", "/%C3%A4", true],
])("the rule %j against %j: %j", (pattern, path, expected) => {
  expect(new RobotsPattern(pattern).matches(path)).toBe(expected);
});

test("a rule matches as the regular expression of the same meaning does", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
  const rule = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
  fc.assert(
    fc.property(rule, fc.boolean(), text, (written, isWhole, path) => {
      const meaning = new RegExp(`^${written.replaceAll("*", ".*")}${isWhole ? "$" : ""}`);
      expect(new RobotsPattern(`${written}${isWhole ? "$" : ""}`).matches(path)).toBe(meaning.test(path));
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ["stars and letters in turn", `${"*a".repeat(2_000)}*b`],
  ["a long piece that nearly occurs everywhere", `*${"a".repeat(2_000)}b`],
  ["many long pieces", `${`*${"a".repeat(60)}`.repeat(60)}*b$`],
  ["a run of letters and its end", `${"a".repeat(2_000)}*${"a".repeat(2_000)}b$`],
  ["nothing but stars", `${"*".repeat(500_000)}b$`],
])("of a path no character is looked at more than three times: %s", (_what, pattern) => {
  let looks = 0;
  const letters = "a".repeat(4_096);
  const path: Characters = {
    length: letters.length,
    charCodeAt(index) {
      looks += 1;
      return letters.charCodeAt(index);
    },
  };
  expect(new RobotsPattern(pattern).matches(path)).toBe(false);
  expect(looks).toBeLessThanOrEqual(3 * letters.length);
});
