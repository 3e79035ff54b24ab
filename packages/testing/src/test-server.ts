import { startPostgres } from "@lockstep/local-postgres";
import { makeClockedSchema } from "./clocked-schema.ts";
import { onServer } from "./on-server.ts";
import { urlOfDatabase } from "./url-of-database.ts";

/** Where test databases are made, and the database they are copies of; null: each is created from scratch. */
export interface TestServer {
  readonly url: string;
  readonly template: string | null;
}

let embedded: Promise<string> | null = null;
const templates = new Map<string, Promise<string>>();

/** The server at this URL, or the embedded PostgreSQL that all test engines of this process share, with a template for this schema. */
export async function testServer(databaseUrl: string | null, schema: string): Promise<TestServer> {
  // On a server that outlives us a template would stay behind.
  if (databaseUrl !== null) return { url: databaseUrl, template: null };
  embedded ??= startEmbedded().catch((error: unknown) => {
    embedded = null;
    throw error;
  });
  const url = await embedded;
  const template = templates.get(schema) ?? makeTemplate(url, schema);
  templates.set(schema, template);
  return { url, template: await template };
}

/** It ends with this process, and does not keep it alive: nobody has to stop it. */
async function startEmbedded(): Promise<string> {
  const { url } = await startPostgres({
    // Nothing here needs to survive a crash of the machine.
    settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" },
  });
  return url;
}

async function makeTemplate(url: string, schema: string): Promise<string> {
  const name = `lockstep_testing_template_${schema}`;
  try {
    await onServer(url, (client) => client.query(`create database ${name}`));
    await makeClockedSchema(urlOfDatabase(url, name), schema);
    return name;
  } catch (error) {
    templates.delete(schema);
    await onServer(url, (client) => client.query(`drop database if exists ${name} with (force)`));
    throw error;
  }
}
