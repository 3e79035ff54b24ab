import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { copyOfBinaries } from "./binaries-copy.ts";

/** A package of the right shape, unpacked under a strict umask, and a place for its copy. */
async function givenPackage(): Promise<{ original: string; place: string }> {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-copy-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const original = join(folder, "linux-x64");
  await mkdir(join(original, "native", "bin"), { recursive: true, mode: 0o700 });
  await writeFile(join(original, "package.json"), '{ "version": "18.4.0" }', { mode: 0o600 });
  await writeFile(join(original, "native", "bin", "postgres"), "program", { mode: 0o700 });
  await symlink("postgres", join(original, "native", "bin", "link"));
  const place = join(folder, "place");
  await mkdir(place);
  return { original, place };
}

async function modesIn(folder: string): Promise<Record<string, string>> {
  const names = ["", ...(await readdir(folder, { recursive: true }))].sort();
  const modes = names.map(async (name) => [
    name,
    ((await stat(join(folder, name))).mode & 0o777).toString(8),
  ]);
  return Object.fromEntries(await Promise.all(modes));
}

test("everybody can read and run the copy, and only its maker can write it", async () => {
  const { original, place } = await givenPackage();
  const copy = await copyOfBinaries(original, place);
  expect(await modesIn(copy)).toEqual({
    "": "755",
    native: "755",
    "native/bin": "755",
    "native/bin/link": "755",
    "native/bin/postgres": "755",
    "package.json": "644",
  });
});

test("starters that copy at the same time end with one copy", async () => {
  const { original, place } = await givenPackage();
  const copies = await Promise.all([1, 2, 3, 4].map(() => copyOfBinaries(original, place)));
  expect(new Set(copies).size).toBe(1);
  expect(await readdir(place)).toHaveLength(1);
});

test("a copy is used again", async () => {
  const { original, place } = await givenPackage();
  const copy = await copyOfBinaries(original, place);
  await writeFile(join(copy, "native", "mark"), "");
  expect(await copyOfBinaries(original, place)).toBe(copy);
  expect(await readdir(join(copy, "native"))).toContain("mark");
});

test("a copy with missing files is made anew", async () => {
  const { original, place } = await givenPackage();
  const copy = await copyOfBinaries(original, place);
  await rm(join(copy, "native", "bin", "postgres"));
  expect(await copyOfBinaries(original, place)).toBe(copy);
  expect(await readFile(join(copy, "native", "bin", "postgres"), "utf8")).toBe("program");
});

test("a folder of that name that others can write is not used", async () => {
  const { original, place } = await givenPackage();
  await chmod(await copyOfBinaries(original, place), 0o777);
  await expect(copyOfBinaries(original, place)).rejects.toThrow(/belongs to somebody else\. Remove it/);
});

test.runIf(process.getuid?.() === 0)(
  "as root, a folder of that name made by somebody else is not used",
  async () => {
    const { original, place } = await givenPackage();
    await chown(await copyOfBinaries(original, place), 65534, 65534);
    await expect(copyOfBinaries(original, place)).rejects.toThrow(/belongs to somebody else\. Remove it/);
  },
);
