import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { basename, join } from "node:path";
import { LocalPostgresError } from "./local-postgres-error.ts";

/**
 * A copy of the binary package that everybody may read and only its maker may write. It is kept for the
 * next start, under a name made of package, version and maker.
 */
export async function copyOfBinaries(packageFolder: string, place: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  const maker = process.getuid?.() ?? "user";
  const copy = join(place, `lockstep-postgres-binaries-${maker}-${basename(packageFolder)}-${version}`);
  if (await isTrustworthy(copy)) {
    if (await isComplete(packageFolder, copy)) return copy;
    // Cleaners of temporary folders remove old files one by one.
    await rm(copy, { recursive: true, force: true });
  }

  const draft = await mkdtemp(`${copy}-`);
  await copyFolder(packageFolder, draft);
  try {
    await rename(draft, copy);
  } catch (cause) {
    await rm(draft, { recursive: true, force: true });
    // Another starter may have put its copy there first, which is as good, unless somebody else made it.
    if (!(await isTrustworthy(copy))) {
      throw new LocalPostgresError(
        `PostgreSQL's programs cannot be copied to ${copy}, which belongs to somebody else. Remove it, or point TMPDIR to another folder.`,
        { cause },
      );
    }
  }
  return copy;
}

async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) {
      await copyFolder(source, target);
    } else if (entry.isSymbolicLink()) {
      await symlink(await readlink(source), target);
    } else {
      await copyFile(source, target);
      // The original may have been unpacked under a strict umask.
      await chmod(target, ((await lstat(source)).mode & 0o100) === 0 ? 0o644 : 0o755);
    }
  }
  await chmod(to, 0o755);
}

/** Anybody can make folders in a temporary place, and what lies in this one is going to be run. */
async function isTrustworthy(copy: string): Promise<boolean> {
  const found = await lstat(copy).catch(() => undefined);
  if (found === undefined || !found.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
}

async function isComplete(original: string, copy: string): Promise<boolean> {
  const copied = new Set(await readdir(copy, { recursive: true }));
  return (await readdir(original, { recursive: true })).every((name) => copied.has(name));
}
