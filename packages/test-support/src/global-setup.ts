import { randomBytes } from "node:crypto";
import { checkedSchema, createRoles, migrate } from "@lockstep/database";
import { startPostgres } from "@lockstep/local-postgres";
import type pg from "pg";
import type { TestProject } from "vitest/node";
import { clientOfRun } from "./client-of-run.ts";
import { folderInMemory } from "./folder-in-memory.ts";
import { readSeedRows, type SeedRows } from "./stored-rows.ts";

declare module "vitest" {
  interface ProvidedContext {
    serverUrl: string;
    templateName: string;
    schemaName: string;
    seedRows: SeedRows;
  }
}

// biome-ignore lint/style/noProcessEnv: the run's own settings come from the environment.
const schema = checkedSchema(process.env.LOCKSTEP_TEST_SCHEMA || undefined);

/** Starts one server for the whole run, with one migrated database that every test file clones. */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const { serverUrl, stop } = await testServer();
  const templateName = `lockstep_test_${randomBytes(4).toString("hex")}`;
  const cleanUp = async () => {
    // A test process that was killed leaves its clone behind; on a server of one's own it would stay for ever.
    await onServer(serverUrl, (client) => dropDatabases(client, templateName));
    await stop();
  };
  try {
    const templateUrl = new URL(serverUrl);
    templateUrl.pathname = `/${templateName}`;
    await onServer(serverUrl, (client) => client.query(`create database ${templateName}`));
    // Roles belong to the whole server. What is granted is part of the schema, and must not change under a file that runs.
    await createRoles({ databaseUrl: serverUrl, schema });
    await migrate({ databaseUrl: templateUrl.href, schema });
    project.provide("serverUrl", serverUrl);
    project.provide("templateName", templateName);
    project.provide("schemaName", schema);
    project.provide("seedRows", await onServer(templateUrl.href, readSeedRows));
    return cleanUp;
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

async function testServer(): Promise<{ serverUrl: string; stop(): Promise<void> }> {
  // biome-ignore lint/style/noProcessEnv: the run's own settings come from the environment.
  const { DATABASE_URL, LOCKSTEP_TEST_POSTGRES } = process.env;
  if (DATABASE_URL) return { serverUrl: DATABASE_URL, stop: async () => undefined };
  const { url, stop } = await startPostgres({
    binariesFolder: LOCKSTEP_TEST_POSTGRES || undefined,
    // A database for every file, and new files for every table a test empties: on a disk that takes more time than the tests.
    temporaryFolder: await folderInMemory(),
    settings: {
      // Nothing here needs to survive a crash of the machine.
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
      max_connections: "300",
      // The guards count a database's transactions, and PostgreSQL counts those of its vacuum with them.
      autovacuum_naptime: "1d",
    },
  });
  return { serverUrl: url, stop };
}

async function dropDatabases(client: pg.Client, prefix: string): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    "select datname from pg_database where starts_with(datname, $1)",
    [prefix],
  );
  for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
}

async function onServer<T>(serverUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = clientOfRun(
    { connectionString: serverUrl, application_name: "lockstep tests: set-up" },
    schema,
  );
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
