import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, lstat, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { LocalPostgresError } from "./local-postgres-error.ts";
import { canReach, type ServerUser } from "./server-user.ts";
import { temporaryPlaces } from "./temporary-places.ts";

/** A folder of its own for one server, to be removed with it. */
export async function makeThrowAwayFolder(user: ServerUser, asked: string | undefined): Promise<string> {
  const [place = tmpdir()] = asked === undefined ? temporaryPlaces(user) : [asked];
  if (!existsSync(place) || !canReach(place, user)) {
    throw new LocalPostgresError(
      `The temporary folder ${place} is not there, or the user PostgreSQL runs as cannot enter it. Choose one that everybody may enter.`,
    );
  }
  const folder = await mkdtemp(join(await realpath(place), "lockstep-postgres-"));
  // Its caretaker, which runs as the server user, must be able to remove it.
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  return folder;
}

/** Where the files of a kept server live: in the folder asked for, or elsewhere when its user cannot go there. */
export async function openKeptFolder(asked: string, user: ServerUser): Promise<string> {
  const folder = await makeEnterable(resolve(asked));
  if (canReach(folder, user)) return folder;
  if (existsSync(join(folder, "data"))) {
    throw new LocalPostgresError(
      `The database in ${folder} exists, but the user PostgreSQL runs as can no longer enter that folder. Let everybody enter the folders above it (chmod a+x), or remove it to start with an empty database.`,
    );
  }
  return openElsewhere(folder);
}

/**
 * A folder that only root may enter keeps a note, and its data lies where other programs keep theirs. The
 * note stands for the data: whoever deletes the folder asked for gets a fresh database, as anywhere else.
 */
async function openElsewhere(asked: string): Promise<string> {
  const note = join(asked, "README.txt");
  const name = createHash("sha256").update(asked).digest("hex").slice(0, 16);
  const elsewhere = join((await isWritable("/var/lib")) ? "/var/lib" : "/var/tmp", "lockstep-postgres", name);
  if (!existsSync(note)) await rm(elsewhere, { recursive: true, force: true });
  await makeEnterable(elsewhere);
  const { uid } = await lstat(dirname(elsewhere));
  if (uid !== process.getuid?.()) {
    throw new LocalPostgresError(
      `${dirname(elsewhere)} belongs to somebody else, so no data is put there. Remove it, or choose a data folder that everybody may enter.`,
    );
  }
  await writeFile(
    note,
    `Only root can enter this folder, and PostgreSQL does not run as root.\nThe database is therefore kept in ${elsewhere}.\nDelete this file, or the folder it lies in, and the next start makes a new database.\n`,
  );
  return elsewhere;
}

async function makeEnterable(folder: string): Promise<string> {
  const missing: string[] = [];
  for (let path = folder; !existsSync(path); path = dirname(path)) missing.unshift(path);
  try {
    for (const path of missing) {
      await makeFolder(path);
      // Not left to the umask: the server user must be able to pass.
      await chmod(path, 0o755);
    }
    return await realpath(folder);
  } catch (cause) {
    throw new LocalPostgresError(
      `The data folder ${folder} cannot be made: ${cause instanceof Error ? cause.message : cause}. Choose a folder you may write to.`,
      { cause },
    );
  }
}

async function isWritable(place: string): Promise<boolean> {
  return makeFolder(join(place, "lockstep-postgres")).then(
    () => true,
    () => false,
  );
}

/** One level: asked for several, Node tries for ever where the file system takes no folders. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
}
