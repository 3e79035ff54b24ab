import { hasFunctions, type TransactionAdapter } from "./transaction-adapter.ts";

interface PostgresJsSql {
  unsafe(text: string, values: unknown[]): Promise<readonly unknown[]>;
}

/** What postgres.js hands to the function of `sql.begin`, or a reserved connection on which "begin" was sent. */
export const postgresJsAdapter: TransactionAdapter<PostgresJsSql> = {
  name: "postgres.js",
  recognises: (tx) => typeof tx === "function" && hasFunctions(tx, "unsafe", "file", "array"),
  refusal: (tx) =>
    hasFunctions(tx, "savepoint") || hasFunctions(tx, "release")
      ? null
      : "It is the sql of postgres.js itself, which sends each statement on any of its connections: use `sql.begin(async (tx) => …)` and give what its function is handed.",
  // It goes on sending on the same connection when its transaction is over, and does not say so.
  mustAsk: () => true,
  saysEnded: () => false,
  query: async (tx, text, values) => await tx.unsafe(text, [...values]),
};
