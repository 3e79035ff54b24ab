import { readFile } from "node:fs/promises";
import { AppDatabase } from "@lockstep/app-kit";

/** The database of the app's own tables. */
export class OcrDatabase extends AppDatabase {
  constructor(databaseUrl: () => Promise<string>) {
    super({
      databaseUrl,
      tables: async () => (await Promise.all(["tables", "extraction-queue"].map(readSql))).join("\n"),
      lockKey: 7_146_203,
      pool: { max: 5, application_name: "document-ocr", statement_timeout: 30_000 },
    });
  }
}

function readSql(name: string): Promise<string> {
  return readFile(new URL(`../../sql/${name}.sql`, import.meta.url), "utf8");
}
