import { startPostgres } from "@lockstep/local-postgres";

export interface GivenOrOwnPostgres {
  readonly databaseUrl: string;
  readonly isOwn: boolean;
  /** Stops it if it was started here. */
  stop(): Promise<void>;
}

/** The database that was given, or else a PostgreSQL that is started for this process, with its data in this folder. */
export async function givenOrOwnPostgres(
  databaseUrl: string | null,
  dataFolder: string,
): Promise<GivenOrOwnPostgres> {
  if (databaseUrl !== null) return { databaseUrl, isOwn: false, stop: async () => {} };
  const postgres = await startPostgres({ dataFolder });
  return { databaseUrl: postgres.url, isOwn: true, stop: () => postgres.stop() };
}
