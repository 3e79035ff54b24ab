import { appendFile, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FolderWatcher } from "./folder-watcher.ts";

async function aFolder() {
  const folder = await mkdtemp(join(tmpdir(), "ocr-watched-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const told: string[] = [];
  const watcher = new FolderWatcher(folder, async ({ name }) => void told.push(name));
  return { folder, watcher, told };
}

test("a file is told of once it has come to rest, once, and again when it was written anew", async () => {
  const { folder, watcher, told } = await aFolder();
  const path = join(folder, "letter.PDF");
  await writeFile(path, "%PDF-");
  await watcher.look();
  await appendFile(path, "1.7");
  await watcher.look();
  expect(told).toEqual([]);
  await watcher.look();
  await watcher.look();
  expect(told).toEqual(["letter.PDF"]);
  await utimes(path, new Date(0), new Date(1_000));
  await watcher.look();
  await watcher.look();
  expect(told).toEqual(["letter.PDF", "letter.PDF"]);
});

test("links, folders, hidden files and other kinds of files are left alone", async () => {
  const { folder, watcher, told } = await aFolder();
  await writeFile(join(folder, "notes.txt"), "x");
  await writeFile(join(folder, ".half.pdf"), "x");
  await mkdir(join(folder, "folder.pdf"));
  await symlink(join(folder, "notes.txt"), join(folder, "link.pdf"));
  await watcher.look();
  await watcher.look();
  expect(told).toEqual([]);
});

test("a file that could not be told of is told of at the next look", async () => {
  const { folder } = await aFolder();
  await writeFile(join(folder, "letter.pdf"), "x");
  let told = 0;
  const watcher = new FolderWatcher(folder, async () => {
    told += 1;
    if (told === 1) throw new Error("the database is away");
  });
  await watcher.look();
  await expect(watcher.look()).rejects.toThrow("away");
  await watcher.look();
  await watcher.look();
  expect(told).toBe(2);
});
