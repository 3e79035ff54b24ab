import { expect, test } from "vitest";
import { read } from "./page.ts";

const page = read("docs/security.md");

/** Each test that the page names: its file, and the titles that follow up to the next file. */
const named = [...page.matchAll(/\]\(\.\.\/([\w./-]+\.test\.ts)\)(?:: ((?:"[^"|]*",? ?)+))?/g)].map(
  ([, path = "", titles = ""]) => ({
    path,
    titles: [...titles.matchAll(/"([^"]*)"/g)].map(([, title]) => title),
  }),
);

test("docs/security.md names tests that there are", () => {
  expect(named.length).toBeGreaterThan(40);
  const missing = named.flatMap(({ path, titles }) => {
    const source = read(path);
    return titles.filter((title = "") => !source.includes(title)).map((title) => `${path}: ${title}`);
  });
  expect(missing).toEqual([]);
});

test("each promise of docs/security.md has a test, or says why it has none", () => {
  const promises = page
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (promise|---)/.test(line))
    .map((line) => line.split(" | ").at(-1) ?? "");
  expect(promises.length).toBeGreaterThan(35);
  expect(promises.filter((last) => !/\.test\.ts\)|^not (yet|there): |^no test: /.test(last))).toEqual([]);
});
