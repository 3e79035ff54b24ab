import { join } from "node:path";
import type { LocalPostgres } from "@lockstep/local-postgres";
import { localPostgres } from "./local-postgres.ts";

/** The database of `lockstep dev`: the one that was asked for, or one that it starts itself. */
export interface DevDatabase {
  readonly url: string;
  /** What people are told it is. */
  readonly name: string;
  /** Starts the server again if it has died; does nothing if the server is somebody else's. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

export function givenDatabase(url: string): DevDatabase {
  // There may be several hosts, which is no URL for Node; or none, and the folder of a socket among the parameters.
  const [, hosts = "", path = ""] = /^[^:]+:\/\/(?:[^/?#]*@)?([^/?#]*)([^?#]*)/.exec(url) ?? [];
  const parameters = new URLSearchParams(url.split("?")[1]);
  const nothing = async () => undefined;
  const name = `PostgreSQL (${parameters.get("host") ?? hosts}${path})`;
  return { url, name, revive: nothing, stop: nothing };
}

/** PostgreSQL with its data in `.lockstep/postgres` of the folder, or with data that is thrown away. */
export async function embeddedDatabase(folder: string, isEphemeral: boolean): Promise<DevDatabase> {
  const { startPostgres } = await localPostgres();
  const dataFolder = isEphemeral ? undefined : join(folder, ".lockstep", "postgres");
  const servers: LocalPostgres[] = [await startPostgres({ dataFolder })];
  const url = servers[0]?.url ?? "";
  const port = Number(new URL(url).port);
  let reviving: Promise<unknown> = Promise.resolve();
  return {
    url,
    name: `PostgreSQL (embedded, ${isEphemeral ? "its data is thrown away" : "data in .lockstep/postgres"})`,
    revive() {
      if (dataFolder === undefined) return Promise.resolve();
      // One that is still running is found and shared.
      reviving = reviving
        .then(() => startPostgres({ dataFolder, port }))
        .then((server) => servers.push(server));
      return reviving.then(() => undefined);
    },
    async stop() {
      await reviving.catch(() => {});
      for (const server of servers) await server.stop();
    },
  };
}
