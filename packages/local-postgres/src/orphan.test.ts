import { spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { findBinaries } from "./binaries.ts";
import { dataIn, ensureData } from "./data-folder.ts";
import { freePort } from "./free-port.ts";
import { liveProcess } from "./live-process.ts";
import { findRunningServer } from "./orphan.ts";
import { openKeptFolder } from "./server-folder.ts";
import { launchServer } from "./server-process.ts";
import { chooseServerUser } from "./server-user.ts";
import { startPostgres } from "./start-postgres.ts";

async function givenParent(): Promise<string> {
  const name = await mkdtemp(join(tmpdir(), "lockstep-orphan-"));
  await chmod(name, 0o755);
  onTestFinished(() => rm(name, { recursive: true, force: true }));
  return name;
}

/** A server that nobody looks after: no launcher on record, no caretaker. */
async function givenOrphan(): Promise<{ dataFolder: string; data: string; pid: number }> {
  const user = chooseServerUser(undefined);
  const binaries = await findBinaries(undefined, user);
  const dataFolder = await openKeptFolder(join(await givenParent(), "postgres"), user);
  await ensureData(dataFolder, binaries, user);
  const data = dataIn(dataFolder);
  const { server } = await launchServer(
    binaries.postgres,
    { dataPath: data, port: await freePort(), settings: {} },
    user,
  );
  if (server === undefined) throw new Error("The orphan did not start.");
  onTestFinished(() => server.stop());
  return { dataFolder, data, pid: server.pid };
}

test("a server without a living launcher is ended, and its folder started anew", async () => {
  const { dataFolder, data, pid } = await givenOrphan();
  expect(findRunningServer(data)).toMatchObject({ pid, isStopping: false });

  const server = await startPostgres({ dataFolder });
  onTestFinished(() => server.stop());
  expect(server.pid).not.toBe(pid);
  expect(liveProcess(pid)).toBeUndefined();
  const client = new pg.Client(server.url);
  await client.connect();
  await client.end();
});

test("a launcher whose process number now belongs to another program counts as gone", async () => {
  const { dataFolder, pid } = await givenOrphan();
  await writeFile(join(dataFolder, "launcher"), `${process.pid} some-other-start`);
  const server = await startPostgres({ dataFolder });
  onTestFinished(() => server.stop());
  expect(server.pid).not.toBe(pid);
});

test("a pid file that names an unrelated process does not keep the server from starting", async () => {
  const dataFolder = join(await givenParent(), "postgres");
  await (await startPostgres({ dataFolder })).stop();
  // Of the server's own user: about others PostgreSQL is not worried.
  const unrelated = spawn("sleep", ["60"], { ...chooseServerUser(undefined), cwd: "/", stdio: "ignore" });
  onTestFinished(() => void unrelated.kill());
  const pidFile = join(dataFolder, "data", "postmaster.pid");
  await writeFile(
    pidFile,
    `${unrelated.pid}\n${join(dataFolder, "data")}\n1\n5432\n\n127.0.0.1\n\nready   \n`,
  );

  const server = await startPostgres({ dataFolder });
  onTestFinished(() => server.stop());
  expect(await readFile(pidFile, "utf8")).toMatch(new RegExp(`^${server.pid}\n`));
});
