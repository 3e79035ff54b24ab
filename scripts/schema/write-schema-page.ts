import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "@lockstep/database";
import { startPostgres } from "@lockstep/local-postgres";
import pg from "pg";
import { repository } from "../run-command.ts";
import { readMigrations } from "./read-migrations.ts";
import { schemaPage } from "./schema-page.ts";

// npm run schema: writes docs/schema.md, on a temporary PostgreSQL.
const postgres = await startPostgres();
try {
  await migrate({ databaseUrl: postgres.url });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const page = await schemaPage(
    async <Row>(text: string) => (await client.query(text)).rows as Row[],
    readMigrations(),
  );
  await client.end();
  writeFileSync(join(repository, "docs/schema.md"), page);
} finally {
  await postgres.stop();
}
