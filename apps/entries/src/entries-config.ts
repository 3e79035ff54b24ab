/** What the environment says, complete and checked. */
export interface EntriesConfig {
  readonly databaseUrl: string;
  /** Signs what lets browsers follow their entries; null: they poll. All processes share it. */
  readonly tokenSecret: string | null;
  /** Whether a web server works too, beside answering requests. */
  readonly worksInServer: boolean;
  /** How long the work of one stage takes. */
  readonly stageWorkMs: number;
  /** Connections of this process to the table of entries; the engine has its own. */
  readonly connections: number;
}

/** A setting that is missing or cannot be used. */
export class EntriesConfigError extends Error {
  override readonly name = "EntriesConfigError";
}

type Environment = Record<string, string | undefined>;

// biome-ignore lint/style/noProcessEnv: the only place that reads the environment.
export function readEntriesConfig(env: Environment = process.env): EntriesConfig {
  const { DATABASE_URL, ENTRIES_TOKEN_SECRET, ENTRIES_WORKER } = env;
  if (DATABASE_URL === undefined || DATABASE_URL === "") {
    throw new EntriesConfigError(
      "DATABASE_URL is not set. `npm start -w apps/entries` starts a PostgreSQL of its own and sets it.",
    );
  }
  if (ENTRIES_WORKER !== undefined && !["in-server", "separate"].includes(ENTRIES_WORKER)) {
    throw new EntriesConfigError(
      `ENTRIES_WORKER must be "in-server" or "separate", and is "${ENTRIES_WORKER}".`,
    );
  }
  return {
    databaseUrl: DATABASE_URL,
    tokenSecret: ENTRIES_TOKEN_SECRET || null,
    worksInServer: ENTRIES_WORKER !== "separate",
    stageWorkMs: wholeNumber("ENTRIES_STAGE_WORK_MS", env.ENTRIES_STAGE_WORK_MS, 2_000, 0, 60_000),
    connections: wholeNumber("ENTRIES_CONNECTIONS", env.ENTRIES_CONNECTIONS, 5, 1, 100),
  };
}

function wholeNumber(name: string, text: string | undefined, otherwise: number, from: number, to: number) {
  if (text === undefined || text === "") return otherwise;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= from && value <= to) return value;
  throw new EntriesConfigError(`${name} must be a whole number from ${from} to ${to}, and is "${text}".`);
}
