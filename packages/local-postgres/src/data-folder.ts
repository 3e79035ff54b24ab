import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { LocalPostgresError } from "./local-postgres-error.ts";
import { runProgram } from "./run-program.ts";
import type { ServerUser } from "./server-user.ts";

/** The database files inside a server's folder. */
export function dataIn(folder: string): string {
  return join(folder, "data");
}

/** The superuser's password. Every local user can reach the port, so the server asks for it. */
export async function readPassword(folder: string): Promise<string> {
  const file = join(folder, "password");
  if (!existsSync(file)) await writeFile(file, randomBytes(24).toString("base64url"), { mode: 0o600 });
  return (await readFile(file, "utf8")).trim();
}

/** The port it had last: whoever was connected finds it there again. */
export async function readPort(folder: string): Promise<number | undefined> {
  const text = await readFile(portFileIn(folder), "utf8").catch(() => "");
  return /^\d{1,5}\n$/.test(text) ? Number(text) : undefined;
}

export async function keepPort(folder: string, port: number): Promise<void> {
  await writeFile(portFileIn(folder), `${port}\n`);
}

function portFileIn(folder: string): string {
  return join(folder, "port");
}

/** Makes the database files when they are not there yet. */
export async function ensureData(folder: string, binaries: Binaries, user: ServerUser): Promise<void> {
  const data = dataIn(folder);
  const existing = await readFile(join(data, "PG_VERSION"), "utf8").catch(() => undefined);
  if (existing !== undefined) return refuseOtherVersion(folder, existing.trim(), binaries.majorVersion);
  if (existsSync(data)) {
    throw new LocalPostgresError(
      `${data} exists and holds no database. Remove it, or choose another data folder.`,
    );
  }

  // initdb works beside and the result is renamed: an initdb that was killed leaves something that looks finished.
  for (const name of await readdir(folder)) {
    if (name.startsWith("new-")) await rm(join(folder, name), { recursive: true, force: true });
  }
  const draft = await mkdtemp(join(folder, "new-"));
  try {
    const passwordFile = join(draft, "password");
    await writeFile(passwordFile, await readPassword(folder), { mode: 0o600 });
    await mkdir(join(draft, "data"));
    for (const path of [draft, passwordFile, join(draft, "data")]) {
      if (user.uid !== undefined && user.gid !== undefined) await chown(path, user.uid, user.gid);
    }
    await chmod(join(draft, "data"), 0o700);
    await runInitdb(join(draft, "data"), passwordFile, binaries, user);
    await rename(join(draft, "data"), data);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function runInitdb(
  data: string,
  passwordFile: string,
  { initdb, majorVersion }: Binaries,
  user: ServerUser,
): Promise<void> {
  // UTF-8 whatever locale this machine has: without these the encoding would follow LANG.
  const locale = ["--encoding=UTF8", "--locale=C"];
  if (majorVersion >= 17) locale.push("--locale-provider=builtin", "--builtin-locale=C.UTF-8");
  const access = ["--username=postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const { succeeded, output } = await runProgram(
    initdb,
    ["-D", data, "--no-sync", ...locale, ...access],
    user,
  );
  if (!succeeded) {
    throw new LocalPostgresError(
      `PostgreSQL could not create a database in ${data}. Check that the disk has room and that its user may write there.\n${output}`,
    );
  }
}

function refuseOtherVersion(folder: string, existing: string, majorVersion: number): void {
  if (Number(existing) === majorVersion) return;
  throw new LocalPostgresError(
    `${folder} holds a database of PostgreSQL ${existing}, and this is PostgreSQL ${majorVersion}. Choose another data folder for it, or remove that one to start with an empty database.`,
  );
}
