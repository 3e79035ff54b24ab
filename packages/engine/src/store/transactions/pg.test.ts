import { type TransactionClient, testTransactions } from "@lockstep/test-support";
import pg from "pg";

testTransactions("pg", async (url): Promise<TransactionClient> => {
  const pool = new pg.Pool({ connectionString: url });
  const idle = new pg.Client({ connectionString: url });
  await idle.connect();
  return {
    async transaction(run) {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const result = await run(client);
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },
    write: (tx, text) => (tx as pg.PoolClient).query(text),
    mistaken: { "a Pool": pool, "a Client without begin": idle },
    end: async () => void (await Promise.all([pool.end(), idle.end()])),
  };
});
