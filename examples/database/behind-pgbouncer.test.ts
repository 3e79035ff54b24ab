import { expect, test } from "vitest";
import { describeThroughPgBouncer, pooledDatabase } from "../../test/pgbouncer/pooled-database.ts";
import { runExample } from "../run-example.ts";

describeThroughPgBouncer("through PgBouncer in transaction mode", () => {
  const db = pooledDatabase();

  test("a job is added, run and read", async () => {
    const env = { DATABASE_URL: db.url, DIRECT_URL: db.direct.url };
    const { output, errors, code } = await runExample("database/behind-pgbouncer.ts", { env });
    expect(errors).toBe("");
    expect(output).toBe("Hello, Ada!\n");
    expect(code).toBe(0);
  }, 60_000);
});
