import { randomBytes } from "node:crypto";
import { migrate } from "@lockstep/database";
import { startPostgres } from "@lockstep/local-postgres";
import pg from "pg";

export interface MigratedDatabase {
  readonly url: string;
  readonly client: pg.Client;
  stop(): Promise<void>;
}

/** A database of a program's own: on the server of DATABASE_URL, or on one that is started for it. */
export async function migratedDatabase(): Promise<MigratedDatabase> {
  // biome-ignore lint/style/noProcessEnv: a program's settings come from the environment.
  const serverUrl = process.env.DATABASE_URL;
  const server = serverUrl
    ? { url: serverUrl, stop: async () => undefined }
    : await startPostgres({ settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off" } });
  const name = `lockstep_model_${randomBytes(4).toString("hex")}`;
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const admin = new pg.Client({ connectionString: server.url, application_name: "lockstep model: server" });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await migrate({ databaseUrl: url.href });
  const client = new pg.Client({ connectionString: url.href, application_name: "lockstep model" });
  await client.connect();
  return {
    url: url.href,
    client,
    async stop() {
      await client.end();
      await admin.query(`drop database if exists ${name} with (force)`);
      await admin.end();
      await server.stop();
    },
  };
}
