import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { longFiles } from "./long-files-first.ts";
import { repository } from "./run-command.ts";

test("every file that is named as long is there", () => {
  expect(longFiles.filter((name) => !existsSync(join(repository, name)))).toEqual([]);
});
