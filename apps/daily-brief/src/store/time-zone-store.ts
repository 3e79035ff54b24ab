import type { BriefDatabase } from "./brief-database.ts";

/** The time zones that people choose from: IANA names that both PostgreSQL and JavaScript know. */
export class TimeZoneStore {
  readonly #database: BriefDatabase;
  #names: Promise<readonly string[]> | null = null;

  constructor(database: BriefDatabase) {
    this.#database = database;
  }

  /** Asked for once: PostgreSQL reads all its files for them. */
  names(): Promise<readonly string[]> {
    this.#names ??= this.#read().catch((error: unknown) => {
      this.#names = null;
      throw error;
    });
    return this.#names;
  }

  async has(name: string): Promise<boolean> {
    return (await this.names()).includes(name);
  }

  async #read(): Promise<readonly string[]> {
    const rows = await this.#database.rows<{ name: string }>(
      `select name from pg_timezone_names
       where name = 'UTC'
         or name ~ '^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)/'
       order by name`,
    );
    return rows.map(({ name }) => name).filter(isKnownHere);
  }
}

function isKnownHere(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone }) !== null;
  } catch {
    return false;
  }
}
