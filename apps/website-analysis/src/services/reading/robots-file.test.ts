import { expect, test } from "vitest";
import { RobotsFile } from "./robots-file.ts";

const fileOf = (text: string) => new RobotsFile({ text, robot: "OurRobot", longestUrl: 4_096 });
const allows = (text: string, path: string) => fileOf(text).allows(new URL(path, "https://site.example"));

test("groups that name a robot are read together, and names that follow each other share their rules", () => {
  const text = `
    User-agent: other
    User-Agent: OURROBOT/2.0   # any case, any version
    Sitemap: https://site.example/sitemap.xml
    Disallow: /a
    user-agent: other
    disallow: /b
    user-agent: ourrobot
    disallow: /c`;
  expect(["/a", "/b", "/c"].map((path) => allows(text, path))).toEqual([false, true, false]);
});

test("the longest rule that matches decides, and of two as long the one that allows", () => {
  const text = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c$\nDisallow: /d\nAllow: /d\n";
  expect(["/a", "/a/b", "/a/b/c", "/a/b/cc", "/d"].map((path) => allows(text, path))).toEqual([
    false,
    true,
    false,
    true,
    true,
  ]);
});

test("rules before any name, rules without a path and lines of other kinds say nothing", () => {
  expect(allows("Disallow: /\nUser-agent: *\nDisallow:\nnonsense\n: /\nNoindex: /\n", "/page")).toBe(true);
});

test("what is asked for is part of the path, and the fragment of a rule is a comment", () => {
  const text = "User-agent: *\nDisallow: /*?print=\nDisallow: /x#y\n";
  expect(["/page?print=1", "/page", "/xz"].map((path) => allows(text, path))).toEqual([false, true, false]);
});

const many = (count: number, rule: (index: number) => string) =>
  `User-agent: *\n${Array.from({ length: count }, (_, index) => `Disallow: ${rule(index)}\n`).join("")}`;

test("of a group the first 10,000 rules are followed, and of those with a star the first 1,000", () => {
  const plain = many(10_001, (index) => `/${index}$`);
  expect([allows(plain, "/9999"), allows(plain, "/10000")]).toEqual([false, true]);
  const withStars = many(1_001, (index) => `/*/${index}$`);
  expect([allows(withStars, "/x/999"), allows(withStars, "/x/1000")]).toEqual([false, true]);
});

test("a rule that is longer than any address is not kept, since it matches none", () => {
  expect(fileOf(many(1, () => `/${"x".repeat(4_095)}`)).characters).toBe(4_096);
  expect(fileOf(many(1, () => `/${"x".repeat(4_096)}`)).characters).toBe(0);
});
