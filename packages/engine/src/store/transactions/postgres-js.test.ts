import { type TransactionClient, testTransactions } from "@lockstep/test-support";
import postgres from "postgres";

testTransactions("postgres.js", async (url): Promise<TransactionClient> => {
  const sql = postgres(url, { onnotice: () => {} });
  const reserved = await sql.reserve();
  return {
    transaction: async (run) => (await sql.begin((tx) => run(tx))) as Awaited<ReturnType<typeof run>>,
    write: (tx, text) => (tx as postgres.TransactionSql).unsafe(text),
    mistaken: { "the sql itself": sql, "a reserved connection without begin": reserved },
    async end() {
      reserved.release();
      await sql.end();
    },
  };
});
