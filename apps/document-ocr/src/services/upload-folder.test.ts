import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sweepUploadFolders, withUploadFolder } from "./upload-folder.ts";

async function aRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "ocr-root-"));
  onTestFinished(() => rm(root, { recursive: true }));
  return root;
}

test("an upload's folder is this user's alone, and gone whatever came of it", async () => {
  const root = join(await aRoot(), "made");
  await withUploadFolder(root, async (folder) => {
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });
  await expect(withUploadFolder(root, () => Promise.reject(new Error("cut")))).rejects.toThrow("cut");
  expect(await readdir(root)).toEqual([]);
});

test("what a killed server left is taken away, and that of a living one stays", async () => {
  const root = await aRoot();
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  const names = [`ocr-upload-${dead}-abcdef`, `ocr-upload-${process.ppid}-abcdef`, "ocr-upload-x"];
  for (const name of names) await mkdir(join(root, name));
  await sweepUploadFolders(root);
  expect(names.map((name) => existsSync(join(root, name)))).toEqual([false, true, true]);
});
