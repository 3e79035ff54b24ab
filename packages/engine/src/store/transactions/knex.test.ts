import { type TransactionClient, testTransactions } from "@lockstep/test-support";
import knex, { type Knex } from "knex";

testTransactions("Knex", async (url): Promise<TransactionClient> => {
  const db = knex({ client: "pg", connection: url });
  return {
    transaction: (run) => db.transaction(run),
    write: async (tx, text) => await (tx as Knex.Transaction).raw(text),
    mistaken: { "the knex itself": db },
    end: () => db.destroy(),
  };
});
