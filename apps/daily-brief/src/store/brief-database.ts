import { readFile } from "node:fs/promises";
import { AppDatabase } from "@lockstep/app-kit";

/** The database of the app's own tables. */
export class BriefDatabase extends AppDatabase {
  constructor(databaseUrl: () => Promise<string>, { withExamples = false } = {}) {
    const files = ["tables.sql", "queue_rpc.sql", ...(withExamples ? ["seed.sql"] : [])];
    super({
      databaseUrl,
      tables: async () => (await Promise.all(files.map(sqlFile))).join(";\n"),
      lockKey: 7_146_201,
      pool: { max: 10, application_name: "daily-brief" },
    });
  }
}

function sqlFile(name: string): Promise<string> {
  return readFile(new URL(`../../sql/${name}`, import.meta.url), "utf8");
}
