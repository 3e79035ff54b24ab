import { randomBytes } from "node:crypto";
import { migrate } from "@lockstep/database";
import { startPostgres } from "@lockstep/local-postgres";
import pg from "pg";

/** A migrated database for a program, and as many like it as it needs. */
export interface MigratedDatabases {
  /** A new one; gone when the program stops them all. */
  clone(): Promise<{ url: string; connect(): Promise<pg.Client> }>;
  stop(): Promise<void>;
}

/** On the server of DATABASE_URL, or on one that is started for it. */
export async function migratedDatabases(): Promise<MigratedDatabases> {
  // biome-ignore lint/style/noProcessEnv: a program's settings come from the environment.
  const serverUrl = process.env.DATABASE_URL;
  const server = serverUrl
    ? { url: serverUrl, stop: async () => undefined }
    : await startPostgres({ settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off" } });
  const admin = new pg.Client({ connectionString: server.url, application_name: "lockstep model: server" });
  await admin.connect();
  const template = `lockstep_model_${randomBytes(4).toString("hex")}`;
  const urlOf = (name: string) => Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  const names: string[] = [];
  const clients: pg.Client[] = [];
  await admin.query(`create database ${template}`);
  await migrate({ databaseUrl: urlOf(template) });

  return {
    async clone() {
      const name = `${template}_${names.length}`;
      names.push(name);
      await admin.query(`create database ${name} template ${template}`);
      return {
        url: urlOf(name),
        async connect() {
          const client = new pg.Client({ connectionString: urlOf(name), application_name: "lockstep model" });
          await client.connect();
          clients.push(client);
          return client;
        },
      };
    },
    async stop() {
      await Promise.all(clients.map((client) => client.end()));
      for (const name of [...names, template])
        await admin.query(`drop database if exists ${name} with (force)`);
      await admin.end();
      await server.stop();
    },
  };
}
