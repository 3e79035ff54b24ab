import { startPostgres } from "@lockstep/local-postgres";
import { makeClockedSchema } from "./clocked-schema.ts";
import { onServer } from "./on-server.ts";
import { urlOfDatabase } from "./url-of-database.ts";

/** Where test databases are made, and the database they are copies of; null: each is created from scratch. */
export interface TestServer {
  readonly url: string;
  readonly template: string | null;
}

const templateName = "lockstep_testing_template";
let embedded: Promise<TestServer> | null = null;

/** The server at this URL, or the embedded PostgreSQL that all test engines of this process share. */
export function testServer(databaseUrl: string | null): Promise<TestServer> {
  // On a server that outlives us a template would stay behind.
  if (databaseUrl !== null) return Promise.resolve({ url: databaseUrl, template: null });
  embedded ??= startEmbedded().catch((error: unknown) => {
    embedded = null;
    throw error;
  });
  return embedded;
}

/** It ends with this process, and does not keep it alive: nobody has to stop it. */
async function startEmbedded(): Promise<TestServer> {
  const { url } = await startPostgres({
    // Nothing here needs to survive a crash of the machine.
    settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" },
  });
  await onServer(url, (client) => client.query(`create database ${templateName}`));
  await makeClockedSchema(urlOfDatabase(url, templateName));
  return { url, template: templateName };
}
