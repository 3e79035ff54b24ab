import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "../../packages/local-postgres/src/free-port.ts";
import { chooseServerUser } from "../../packages/local-postgres/src/server-user.ts";

/** A real PgBouncer in transaction mode. */
export interface PgBouncer {
  /** A database's URL, led through it. */
  through(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** Where this machine has it; null where it has none. */
export function findPgBouncer(): string | null {
  // biome-ignore lint/style/noProcessEnv: a program is looked for where the machine keeps its programs.
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, "pgbouncer")).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Before one PostgreSQL, with fewer connections to it than its clients have: what one transaction leaves in its
 * connection, the next finds in another's. It resets nothing, and refuses startup parameters unless they are ignored.
 */
export async function startPgBouncer(
  serverUrl: string,
  { ignoredParameters = [] }: { ignoredParameters?: readonly string[] } = {},
): Promise<PgBouncer> {
  const program = findPgBouncer();
  if (program === null) throw new Error("This machine has no PgBouncer.");
  const server = new URL(serverUrl);
  const port = await freePort();
  // It refuses to run as root, as PostgreSQL does.
  const user = chooseServerUser(undefined);
  const folder = await mkdtemp(join(tmpdir(), "lockstep-pgbouncer-"));
  const userList = join(folder, "userlist.txt");
  const settings = join(folder, "pgbouncer.ini");
  await writeFile(userList, `"${server.username}" "${decodeURIComponent(server.password)}"\n`);
  await writeFile(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${userList}
pool_mode = transaction
default_pool_size = 3
max_client_conn = 500
ignore_startup_parameters = ${ignoredParameters.join(", ")}
`,
  );
  for (const path of [folder, userList, settings]) {
    await chmod(path, path === folder ? 0o700 : 0o600);
    if (user.uid !== undefined && user.gid !== undefined) await chown(path, user.uid, user.gid);
  }
  const child = spawn(program, [settings], {
    ...user,
    cwd: "/",
    env: {},
    stdio: ["ignore", "ignore", "pipe"],
  });
  const endWithUs = () => void child.kill("SIGKILL");
  process.once("exit", endWithUs);
  await untilUp(child);
  return {
    through(databaseUrl) {
      const url = new URL(databaseUrl);
      url.hostname = "127.0.0.1";
      url.port = `${port}`;
      return url.href;
    },
    async stop() {
      process.off("exit", endWithUs);
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        child.kill("SIGTERM");
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function untilUp(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let words = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      words = (words + chunk.toString("utf8")).slice(-8_192);
      if (words.includes("process up")) resolve();
    });
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`PgBouncer did not start:\n${words}`)));
  });
}
