import { readFile } from "node:fs/promises";
import { AppDatabase } from "@lockstep/app-kit";

/** The database of the app's own tables. */
export class SiteDatabase extends AppDatabase {
  constructor(databaseUrl: () => Promise<string>) {
    super({
      databaseUrl,
      tables: () => readFile(new URL("../../sql/tables.sql", import.meta.url), "utf8"),
      lockKey: 7_146_205,
      pool: { max: 5, application_name: "website-analysis", statement_timeout: 10_000 },
    });
  }
}
