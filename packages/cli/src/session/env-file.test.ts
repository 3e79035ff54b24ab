import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readEnvFile } from "./env-file.ts";

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-env-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test("variables of .env are taken unless they are set, and named without their values", async () => {
  const folder = await newFolder();
  await writeFile(
    join(folder, ".env"),
    "# ours\nDATABASE_URL='postgres://of/file'\nMAIL=a@b.example\nEMPTY=no\n",
  );
  const env: Record<string, string | undefined> = { DATABASE_URL: "postgres://set/before", EMPTY: "" };
  expect(readEnvFile(folder, env)).toBe(".env was read: MAIL");
  expect(env).toEqual({ DATABASE_URL: "postgres://set/before", EMPTY: "", MAIL: "a@b.example" });
  // Of a worker that inherits them nothing is said again.
  expect(readEnvFile(folder, env)).toBeNull();
});

test("without a .env, or with a folder of that name, nothing happens", async () => {
  const folder = await newFolder();
  expect(readEnvFile(folder, {})).toBeNull();
  await mkdir(join(folder, ".env"));
  expect(readEnvFile(folder, {})).toBeNull();
});
