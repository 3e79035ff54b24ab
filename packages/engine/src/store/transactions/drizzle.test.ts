import { type TransactionClient, testTransactions } from "@lockstep/test-support";
import { type NodePgDatabase, drizzle as onPg } from "drizzle-orm/node-postgres";
import { drizzle as onPostgresJs, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import pg from "pg";
import postgres from "postgres";

function clientOf(db: NodePgDatabase | PostgresJsDatabase, end: () => Promise<void>): TransactionClient {
  return {
    transaction: (run) => db.transaction(async (tx) => run(tx)),
    write: async (tx, text) => (tx as NodePgDatabase).execute(text),
    mistaken: { "the db itself": db },
    end,
  };
}

testTransactions("Drizzle on pg", async (url) => {
  const pool = new pg.Pool({ connectionString: url });
  return clientOf(onPg(pool), () => pool.end());
});

testTransactions("Drizzle on postgres.js", async (url) => {
  const sql = postgres(url, { onnotice: () => {} });
  return clientOf(onPostgresJs(sql), () => sql.end());
});
