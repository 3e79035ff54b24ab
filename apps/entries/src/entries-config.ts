import {
  type Environment,
  list,
  oneOf,
  orNull,
  readEnvironment,
  secret,
  wholeNumber,
  workPlace,
} from "@lockstep/app-kit/environment";

import { type DatabaseClient, databaseClients } from "./database/database-client.ts";

/** What the environment says, complete and checked. */
export interface EntriesConfig {
  readonly databaseUrl: string;
  /** With what the application reads and writes its own tables. */
  readonly databaseClient: DatabaseClient;
  /** Signs what lets browsers follow their entries; null: they poll. All processes share it. */
  readonly tokenSecret: string | null;
  /** Whether a web server works too, beside answering requests. */
  readonly worksInServer: boolean;
  /** How long the work of one stage takes. */
  readonly stageWorkMs: number;
  /** Connections of this process to the table of entries; the engine has its own. */
  readonly connections: number;
  /** Host names that the pages answer to, besides those of this machine; "*" allows any, if a proxy checks them. */
  readonly hosts: readonly string[];
}

const variables = {
  DATABASE_URL: secret(
    "must be the address of a PostgreSQL database (`npm start -w apps/entries` starts one and sets it)",
  ),
  ENTRIES_DATABASE_CLIENT: oneOf(...databaseClients).default("drizzle"),
  ENTRIES_TOKEN_SECRET: orNull(secret("must be the secret that signs tokens")),
  ENTRIES_WORKER: workPlace.default("in-server"),
  ENTRIES_STAGE_WORK_MS: wholeNumber({ least: 0, most: 60_000 }).default(2_000),
  ENTRIES_CONNECTIONS: wholeNumber({ least: 1, most: 100 }).default(5),
  ENTRIES_HOSTS: list('must be host names without ports, separated by commas, or "*"', (name) =>
    /^(\*|[a-z0-9.-]+)$/i.test(name),
  ),
};

// biome-ignore lint/style/noProcessEnv: the only place that reads the environment.
export function readEntriesConfig(env: Environment = process.env): EntriesConfig {
  const read = readEnvironment(env, variables);
  return {
    databaseUrl: read.DATABASE_URL,
    databaseClient: read.ENTRIES_DATABASE_CLIENT,
    tokenSecret: read.ENTRIES_TOKEN_SECRET,
    worksInServer: read.ENTRIES_WORKER === "in-server",
    stageWorkMs: read.ENTRIES_STAGE_WORK_MS,
    connections: read.ENTRIES_CONNECTIONS,
    hosts: read.ENTRIES_HOSTS.map((name) => name.toLowerCase()),
  };
}
