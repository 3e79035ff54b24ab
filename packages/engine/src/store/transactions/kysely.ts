import { hasFunctions, type TransactionAdapter } from "./transaction-adapter.ts";

interface KyselyTransaction {
  readonly isTransaction: boolean;
  withoutPlugins(): KyselyTransaction;
  executeQuery(query: object): Promise<{ rows: readonly unknown[] }>;
}

/** What Kysely hands to the function of `db.transaction().execute`, or a controlled transaction of it. */
export const kyselyAdapter: TransactionAdapter<KyselyTransaction> = {
  name: "Kysely",
  recognises: (tx) => hasFunctions(tx, "executeQuery", "withoutPlugins", "selectFrom"),
  refusal: (tx) =>
    tx.isTransaction
      ? null
      : "It is the db of Kysely itself: use `db.transaction().execute(async (tx) => …)` and give what its function is handed.",
  mustAsk: () => false,
  saysEnded: (error) =>
    error instanceof Error && /^Transaction is already (committed|rolled back)/.test(error.message),
  async query(tx, text, values) {
    const { rows } = await tx.withoutPlugins().executeQuery({
      sql: text,
      parameters: values,
      query: { kind: "RawNode", sqlFragments: [text], parameters: [] },
      queryId: { queryId: "lockstep" },
    });
    return rows;
  },
};
