import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { TempFolders } from "./temp-folder.ts";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "temp-folder-test-")));
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid ?? 0;
}

/** The folder another process of this host would have, holding a file. */
async function givenFolderOf(pid: number): Promise<string> {
  const folders = new TempFolders(root);
  const own = dirname(await folders.create("x", 1));
  await folders.removeAll();
  const path = join(root, basename(own).replace(`-${process.pid}-`, `-${pid}-`));
  await mkdir(join(path, "job"), { recursive: true });
  await writeFile(join(path, "job", "page.png"), "x");
  return path;
}

describe("a folder", () => {
  test("is fresh for each attempt and open to this user alone", async () => {
    const folders = new TempFolders(root);
    const [first, second] = [await folders.create("j1", 1), await folders.create("j1", 1)];
    expect(first).not.toBe(second);
    expect(await readdir(first)).toEqual([]);
    expect((await stat(first)).mode & 0o777).toBe(0o700);
    expect((await stat(dirname(first))).mode & 0o777).toBe(0o700);
    expect(basename(dirname(first))).toMatch(new RegExp(`^lockstep-${process.pid}-`));
  });

  test.each(["../../etc", "a/b", "..", "nul\0", "x".repeat(500), ""])(
    "of a job named %j stays inside",
    async (jobId) => {
      const path = await new TempFolders(root).create(jobId, 1);
      expect(dirname(dirname(await realpath(path)))).toBe(root);
    },
  );

  test("is given by its real path when the root is a link, and the root is made when it is missing", async () => {
    const link = join(root, "link");
    await symlink(join(root, "real"), link);
    await mkdir(join(root, "real"));
    const path = await new TempFolders(join(link, "deep")).create("j1", 1);
    expect(path.startsWith(join(root, "real", "deep"))).toBe(true);
  });

  test("is in the system's folder when no root is set", async () => {
    const folders = new TempFolders(null);
    onTestFinished(() => folders.removeAll());
    const path = await folders.create("j1", 1);
    expect(dirname(dirname(path))).toBe(await realpath(tmpdir()));
  });

  test("is made also after a cleaner took the process's folder away", async () => {
    const folders = new TempFolders(root);
    await rm(dirname(await folders.create("j1", 1)), { recursive: true });
    expect(existsSync(await folders.create("j1", 2))).toBe(true);
  });

  test("that cannot be made rejects, and the next may succeed", async () => {
    const file = join(root, "file");
    await writeFile(file, "");
    const folders = new TempFolders(file);
    await expect(folders.create("j1", 1)).rejects.toThrow(/EEXIST|ENOTDIR/);
    await rm(file);
    expect(existsSync(await folders.create("j1", 1))).toBe(true);
  });
});

describe("removing", () => {
  test("takes a folder with all that is in it, and may come twice", async () => {
    const folders = new TempFolders(root);
    const path = await folders.create("j1", 1);
    await mkdir(join(path, "a/b"), { recursive: true });
    await writeFile(join(path, "a/b/c"), "x");
    await folders.remove(path);
    await folders.remove(path);
    expect(existsSync(path)).toBe(false);
  });

  test("leaves alone what it did not make, and what a link inside points to", async () => {
    const precious = join(root, "precious");
    await writeFile(precious, "x");
    const folders = new TempFolders(root);
    const path = await folders.create("j1", 1);
    await symlink(root, join(path, "link"));
    await folders.remove(root);
    await folders.remove(join(path, ".."));
    expect(existsSync(path)).toBe(true);
    await folders.remove(path);
    expect(existsSync(precious)).toBe(true);
  });

  test("all leaves nothing behind", async () => {
    const folders = new TempFolders(root);
    await folders.create("j1", 1);
    await folders.create("j2", 1);
    await folders.removeAll();
    await folders.removeAll();
    expect(await readdir(root)).toEqual([]);
  });
});

describe("at first use", () => {
  test("the folders of processes that are dead go", async () => {
    const left = await givenFolderOf(await deadPid());
    await new TempFolders(root).create("j1", 1);
    expect(existsSync(left)).toBe(false);
  });

  test("the folders of processes that live stay", async () => {
    const parents = await givenFolderOf(process.ppid);
    const own = await givenFolderOf(process.pid);
    await new TempFolders(root).create("j1", 1);
    expect([existsSync(parents), existsSync(own)]).toEqual([true, true]);
  });

  test("a folder under this process's id that is older than the process goes", async () => {
    const left = await givenFolderOf(process.pid);
    await utimes(left, new Date("2026-01-01"), new Date("2026-01-01"));
    await new TempFolders(root).create("j1", 1);
    expect(existsSync(left)).toBe(false);
  });

  test("links, other names and other hosts' folders stay", async () => {
    const pid = await deadPid();
    const target = join(root, "target");
    await mkdir(target);
    const link = join(root, basename(await givenFolderOf(pid)));
    await rm(link, { recursive: true });
    await symlink(target, link);
    const others = [`lockstep-${pid}-deadbeef-abcdef`, `lockstep-${pid}`, `lockstep-x-${pid}`, "lockstep"];
    for (const name of others) await mkdir(join(root, name));
    await new TempFolders(root).create("j1", 1);
    expect(await readdir(root)).toEqual(expect.arrayContaining([...others, "target", basename(link)]));
  });
});
