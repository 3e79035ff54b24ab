import { type TransactionClient, testTransactions } from "@lockstep/test-support";
import { CamelCasePlugin, CompiledQuery, Kysely, PostgresDialect, type Transaction } from "kysely";
import pg from "pg";

testTransactions("Kysely", async (url): Promise<TransactionClient> => {
  const dialect = new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) });
  const db = new Kysely<unknown>({ dialect, plugins: [new CamelCasePlugin()] });
  return {
    transaction: (run) => db.transaction().execute(run),
    write: (tx, text) => (tx as Transaction<unknown>).executeQuery(CompiledQuery.raw(text)),
    mistaken: { "the db itself": db },
    end: () => db.destroy(),
  };
});

testTransactions("Kysely, begun by hand", async (url): Promise<TransactionClient> => {
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }),
  });
  return {
    async transaction(run) {
      const tx = await db.startTransaction().execute();
      try {
        const result = await run(tx);
        await tx.commit().execute();
        return result;
      } catch (error) {
        await tx.rollback().execute();
        throw error;
      }
    },
    write: (tx, text) => (tx as Transaction<unknown>).executeQuery(CompiledQuery.raw(text)),
    mistaken: {},
    end: () => db.destroy(),
  };
});
