import pg from "pg";
import { readGrantFile } from "./sql-files.ts";

/** Makes the roles lockstep_viewer, _producer, _operator and _worker where they are missing. Needs CREATEROLE. */
export async function createRoles(options: { databaseUrl: string }): Promise<void> {
  const client = new pg.Client({ connectionString: options.databaseUrl });
  await client.connect();
  try {
    await client.query(await readGrantFile("create_roles"));
  } finally {
    await client.end();
  }
}
