import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFile, chown, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type LocalPostgres, startPostgres } from "@lockstep/local-postgres";
import pg from "pg";
import { until } from "../stories/until.ts";

// What commits asynchronously reaches the disk with the next durable commit, and otherwise not in the time of a test:
// what a crash loses is then known. With fsync, as servers run.
const settings = { wal_writer_delay: "10s", fsync: "on" };

/** A PostgreSQL server of a story's own, which may crash, be copied, and have a standby. */
export class OwnServer {
  readonly #folder: string;
  #server: LocalPostgres | null = null;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(): Promise<OwnServer> {
    const server = new OwnServer(newFolder());
    await server.startAgain();
    return server;
  }

  get url(): string {
    if (this.#server === null) throw new Error("The server was never started.");
    return this.#server.url;
  }

  /** Where it was before. */
  async startAgain(): Promise<void> {
    const port = this.#server === null ? undefined : Number(new URL(this.#server.url).port);
    this.#server = await startPostgres({ dataFolder: this.#folder, settings, port });
  }

  /** Ends it as kill -9 does, with all of its processes. */
  async crash(): Promise<void> {
    const backends = await this.query<{ pid: number }>("select pid from pg_stat_activity");
    const pids = [this.#server?.pid ?? 0, ...backends.map(({ pid }) => pid)];
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, "SIGKILL");
    await until("the server has gone", async () => !pids.some(isAlive));
  }

  /** Kills one of its processes: the others go too and come back under the same postmaster. */
  async crashBackend(): Promise<void> {
    // The second is ended by the postmaster: until then the server goes on as if nothing had happened, and answers.
    const clients = await Promise.all([this.#connect(), this.#connect()]);
    const { rows } = await clients[0].query<{ pid: number }>("select pg_backend_pid() as pid");
    const gone = clients.map((client) => new Promise((resolve) => client.once("end", resolve)));
    process.kill(rows[0]?.pid ?? 0, "SIGKILL");
    await Promise.all(gone);
    await until("the server answers again", () =>
      this.query("select 1").then(
        () => true,
        () => false,
      ),
    );
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** A copy of its files, as it was stopped. */
  async copy(): Promise<OwnServer> {
    const folder = newFolder();
    await copyFolder(this.#folder, folder);
    return new OwnServer(folder);
  }

  /** Puts another's files in place of its own. */
  async takeFilesOf(other: OwnServer): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    await copyFolder(other.#folder, this.#folder);
  }

  /** One that follows this one, without being waited for. This one is stopped for the copy, and starts again. */
  async standby(): Promise<OwnServer> {
    const { hostname, port, username, password } = new URL(this.url);
    await this.stop();
    const standby = await this.copy();
    const data = join(standby.#folder, "data");
    const { uid, gid } = await stat(data);
    const primary = `host=${hostname} port=${port} user=${username} password=${password}`;
    // Not at its command line, where nothing could change it: a story may cut the two apart.
    await appendFile(join(data, "postgresql.auto.conf"), `primary_conninfo = '${primary}'\n`);
    await writeFile(join(data, "standby.signal"), "");
    await chown(join(data, "standby.signal"), uid, gid);
    await this.startAgain();
    await standby.startAgain();
    return standby;
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = await this.#connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, application_name: "story" });
    client.on("error", () => {});
    await client.connect();
    return client;
  }
}

/** With the owners of the files: PostgreSQL does not start on those of others. */
async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)("cp", ["-a", from, to]);
}

function newFolder(): string {
  return join(tmpdir(), `lockstep-story-${randomUUID()}`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
