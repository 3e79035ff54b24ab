import { randomBytes } from "node:crypto";
import pg from "pg";
import { makeClockedSchema, setDatabaseTime } from "./clocked-schema.ts";
import { onServer } from "./on-server.ts";
import type { TestServer } from "./test-server.ts";
import { urlOfDatabase } from "./url-of-database.ts";

/** A database of one test engine's own. */
export interface FreshDatabase {
  readonly url: string;
  setTime(now: Date): Promise<void>;
  /** Ends whoever is still connected. */
  drop(): Promise<void>;
}

export async function freshDatabase(server: TestServer, schema: string): Promise<FreshDatabase> {
  const name = `lockstep_testing_${randomBytes(6).toString("hex")}`;
  const url = urlOfDatabase(server.url, name);
  const drop = () =>
    onServer(server.url, (client) => client.query(`drop database if exists ${name} with (force)`));
  const copy = server.template === null ? "" : ` template ${server.template}`;
  await onServer(server.url, (client) => client.query(`create database ${name}${copy}`));
  const time = new pg.Client({ connectionString: url, application_name: "lockstep testing clock" });
  // Dropped with force, or the server stopped before us: the next query tells.
  time.on("error", () => {});
  try {
    if (server.template === null) await makeClockedSchema(url, schema);
    await time.connect();
  } catch (error) {
    await drop().catch(() => {});
    throw error;
  }
  return {
    url,
    setTime: (now) => setDatabaseTime(time, now),
    async drop() {
      await time.end();
      await drop();
    },
  };
}
