import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { LocalPostgresError } from "./local-postgres-error.ts";

/** The account the server runs as. Without ids it is the one that runs this process. */
export interface ServerUser {
  uid?: number;
  gid?: number;
}

/**
 * PostgreSQL refuses to run as root. Data that already exists stays with its owner, because the server
 * also refuses a folder that belongs to somebody else.
 */
export function chooseServerUser(dataPath: string | undefined): ServerUser {
  if (process.getuid?.() !== 0) return {};
  const accounts = readAccounts();
  const ownerUid = dataPath === undefined ? undefined : ownerOf(dataPath);
  const account =
    accounts.find(({ uid }) => uid === ownerUid && uid !== 0) ??
    accounts.find(({ name }) => name === "postgres") ??
    accounts.find(({ name }) => name === "nobody");
  if (account === undefined) {
    throw new LocalPostgresError(
      'PostgreSQL does not run as root, and /etc/passwd has neither a user "postgres" nor "nobody" to run it as. Add one of them, or start this program as an ordinary user.',
    );
  }
  return { uid: account.uid, gid: account.gid };
}

/** Whether the server user may walk down to this folder; it may read and write only what it owns. */
export function canReach(folder: string, user: ServerUser): boolean {
  if (user.uid === undefined) return true;
  let current = realpathSync(folder);
  while (true) {
    const { uid, gid, mode } = statSync(current);
    const mayEnter = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & mayEnter) === 0) return false;
    const parent = dirname(current);
    if (parent === current) return true;
    current = parent;
  }
}

function readAccounts(): { name: string; uid: number; gid: number }[] {
  return readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [name = "", , uid, gid] = line.split(":");
      // macOS writes nobody's ids as -2, which the kernel knows as an unsigned number.
      return { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
    });
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}
