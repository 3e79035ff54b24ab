import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { matchingFiles } from "./matching-files.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lockstep-files-"));
  const files = [
    "a.ts",
    "b.js",
    "apps/one/src/pipelines.ts",
    "apps/two/src/pipelines.ts",
    "apps/two/other.ts",
  ];
  for (const file of [...files, "node_modules/x/src/pipelines.ts"]) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), "");
  }
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ["a.ts", ["a.ts"]],
  ["missing.ts", []],
  ["apps", []],
  ["*.ts", ["a.ts"]],
  ["?.js", ["b.js"]],
  ["apps/*/src/pipelines.ts", ["apps/one/src/pipelines.ts", "apps/two/src/pipelines.ts"]],
  ["**/pipelines.ts", ["apps/one/src/pipelines.ts", "apps/two/src/pipelines.ts"]],
  ["apps/**/*.ts", ["apps/two/other.ts", "apps/one/src/pipelines.ts", "apps/two/src/pipelines.ts"]],
])("%s", async (pattern, expected) => {
  const found = (await matchingFiles(pattern, folder)).map((path) => relative(folder, path));
  expect(found.sort()).toEqual([...expected].sort());
  expect(await matchingFiles(join(folder, pattern), "/")).toHaveLength(expected.length);
});
