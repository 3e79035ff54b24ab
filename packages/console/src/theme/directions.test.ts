import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const home = join(import.meta.dirname, "..");
const physical =
  /(?<![\w-])-?(?:(?:ml|mr|pl|pr|left|right|scroll-m[lr]|scroll-p[lr])-[\w[./]|(?:border|rounded)-[lr]\b|text-(?:left|right)\b|(?:left|right): [`"\w])/;

test("no component says left or right where it means start or end: words may go the other way", () => {
  const files = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".tsx"),
  );
  expect(files.length).toBeGreaterThan(50);
  const found = files.flatMap((file) =>
    readFileSync(join(home, file), "utf8")
      .split("\n")
      // An axis of time has its own sides, whatever way words go.
      .filter((line) => physical.test(line) && !/^const margin = /.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
