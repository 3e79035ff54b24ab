import { type TransactionClient, testTransactions } from "@lockstep/test-support";
import { DataSource, type EntityManager, type QueryRunner } from "typeorm";

async function connected(url: string): Promise<DataSource> {
  return await new DataSource({ type: "postgres", url }).initialize();
}

testTransactions("TypeORM, by its EntityManager", async (url): Promise<TransactionClient> => {
  const source = await connected(url);
  return {
    transaction: (run) => source.transaction(run),
    write: (tx, text) => (tx as EntityManager).query(text),
    mistaken: { "the DataSource": source, "its own manager": source.manager },
    end: () => source.destroy(),
  };
});

testTransactions("TypeORM, by its QueryRunner", async (url): Promise<TransactionClient> => {
  const source = await connected(url);
  return {
    async transaction(run) {
      const runner = source.createQueryRunner();
      await runner.startTransaction();
      try {
        const result = await run(runner);
        await runner.commitTransaction();
        return result;
      } catch (error) {
        await runner.rollbackTransaction();
        throw error;
      } finally {
        await runner.release();
      }
    },
    write: (tx, text) => (tx as QueryRunner).query(text),
    mistaken: { "a QueryRunner without a transaction": source.createQueryRunner() },
    end: () => source.destroy(),
  };
});
