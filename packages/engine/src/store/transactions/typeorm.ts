import { hasFunctions, type TransactionAdapter } from "./transaction-adapter.ts";

interface QueryRunner {
  readonly isReleased: boolean;
  readonly isTransactionActive: boolean;
  query(text: string, values: unknown[]): Promise<readonly unknown[]>;
}

interface EntityManager {
  readonly queryRunner?: QueryRunner | undefined;
}

/** The EntityManager that TypeORM hands to the function of `dataSource.transaction`, or a QueryRunner in a transaction. */
export const typeormAdapter: TransactionAdapter<QueryRunner | EntityManager> = {
  name: "TypeORM",
  recognises: (tx) =>
    hasFunctions(tx, "query", "startTransaction", "commitTransaction") ||
    hasFunctions(tx, "query", "transaction", "getRepository"),
  refusal(tx) {
    const runner = runnerOf(tx);
    if (runner === undefined) {
      return "It is a DataSource of TypeORM, or its own manager: use `dataSource.transaction(async (manager) => …)` and give what its function is handed.";
    }
    return runner.isTransactionActive && !runner.isReleased
      ? null
      : "No transaction is open on this QueryRunner of TypeORM: call `startTransaction` first, and do not use it after its end.";
  },
  mustAsk: () => false,
  saysEnded: () => false,
  query: async (tx, text, values) => (await runnerOf(tx)?.query(text, [...values])) ?? [],
};

function runnerOf(tx: QueryRunner | EntityManager): QueryRunner | undefined {
  return "startTransaction" in tx ? (tx as QueryRunner) : (tx as EntityManager).queryRunner;
}
