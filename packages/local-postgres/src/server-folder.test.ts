import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { childProgram } from "@lockstep/test-support";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { canReach } from "./server-user.ts";
import { startPostgres } from "./start-postgres.ts";

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };

/** Starts on the folder, notes a visit, and tells how many there were, and where. */
async function visit(dataFolder: string): Promise<{ visits: number; folder: string }> {
  const server = await startPostgres({ dataFolder });
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query("create table if not exists visits (at timestamptz default now())");
  await client.query("insert into visits default values");
  const { rows } = await client.query(
    "select count(*)::int as visits, current_setting('data_directory') as data from visits",
  );
  await client.end();
  await server.stop();
  return { visits: rows[0].visits, folder: dirname(rows[0].data) };
}

test.runIf(isRoot)(
  "as root, a folder only root can enter keeps its data elsewhere and says where",
  async () => {
    const secret = await mkdtemp(join(tmpdir(), "lockstep-secret-"));
    onTestFinished(() => rm(secret, { recursive: true, force: true }));
    const dataFolder = join(secret, "postgres");

    const first = await visit(dataFolder);
    onTestFinished(() => rm(first.folder, { recursive: true, force: true }));
    expect(first.folder.startsWith(secret)).toBe(false);
    expect(await readFile(join(dataFolder, "README.txt"), "utf8")).toContain(`kept in ${first.folder}.`);
    expect(await visit(dataFolder)).toEqual({ visits: 2, folder: first.folder });

    // A folder that was deleted is a fresh one, wherever its data lies.
    await rm(dataFolder, { recursive: true });
    expect(await visit(dataFolder)).toEqual({ visits: 1, folder: first.folder });
  },
);

test.runIf(isRoot)(
  "as root, data that lies where only root can enter now is not silently replaced",
  async () => {
    const parent = await mkdtemp(join(tmpdir(), "lockstep-closed-"));
    onTestFinished(() => rm(parent, { recursive: true, force: true }));
    await chmod(parent, 0o755);
    const dataFolder = join(parent, "postgres");
    expect((await visit(dataFolder)).folder).toBe(dataFolder);
    await chmod(parent, 0o700);
    await expect(startPostgres({ dataFolder })).rejects.toThrow(
      /can no longer enter that folder\. Let everybody enter/,
    );
  },
);

test.runIf(isRoot && canReach(import.meta.dirname, nobody) && canReach(process.execPath, nobody))(
  "an ordinary user keeps data in a folder nobody else can enter (needs root to become that user, and a repository everybody can enter)",
  async () => {
    const parent = await mkdtemp(join(tmpdir(), "lockstep-own-"));
    onTestFinished(() => rm(parent, { recursive: true, force: true }));
    await chmod(parent, 0o777);
    const program = childProgram(
      `import { mkdirSync } from "node:fs";
       import { startPostgres } from "@lockstep/local-postgres";
       mkdirSync(${JSON.stringify(join(parent, "private"))}, { mode: 0o700 });
       const server = await startPostgres({ dataFolder: ${JSON.stringify(join(parent, "private", "postgres"))} });
       console.log(process.getuid());
       await server.stop();`,
      nobody,
    );
    expect(await program.nextLine()).toBe("65534");
    expect(await program.ended).toMatchObject({ code: 0, errors: "" });
    expect(existsSync(join(parent, "private", "postgres", "data", "PG_VERSION"))).toBe(true);

    // Root meets the same folder later: the data stays with its owner.
    await chmod(join(parent, "private"), 0o755);
    expect((await visit(join(parent, "private", "postgres"))).visits).toBe(1);
  },
);

test("a folder that cannot be made is named", async () => {
  const parent = await mkdtemp(join(tmpdir(), "lockstep-file-"));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  await writeFile(join(parent, "file"), "");
  const dataFolder = join(parent, "file", "postgres");
  await expect(startPostgres({ dataFolder })).rejects.toThrow(`The data folder ${dataFolder} cannot be made`);
});

test.runIf(process.platform === "linux")(
  "a file system that takes no folders is no endless wait",
  async () => {
    await expect(startPostgres({ dataFolder: "/proc/lockstep/postgres" })).rejects.toThrow(/cannot be made/);
  },
);
