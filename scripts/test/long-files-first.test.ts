import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../run-command.ts";
import { longFiles } from "./long-files-first.ts";

test("every file that is named as long is there", () => {
  expect(longFiles.filter((name) => !existsSync(join(repository, name)))).toEqual([]);
});
