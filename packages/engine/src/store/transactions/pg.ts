import { hasFunctions, type TransactionAdapter } from "./transaction-adapter.ts";

interface PgClient {
  query(config: { text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
  /** "I" idle, "T" in a transaction, "E" in one that has failed; not in every version of pg. */
  getTransactionStatus?(): string | null;
}

/** A Client or PoolClient of node-postgres on which "begin" was sent. */
export const pgAdapter: TransactionAdapter<PgClient> = {
  name: "pg",
  recognises: (tx) => hasFunctions(tx, "query", "escapeLiteral") || isPool(tx),
  refusal(tx) {
    if (isPool(tx)) {
      return "It is a Pool of pg, which sends each statement on any of its connections: take one with `await pool.connect()`, send `begin` on it, and give that client.";
    }
    return statusRefusal(tx);
  },
  mustAsk: (tx) => tx.getTransactionStatus === undefined,
  saysEnded: () => false,
  query: async (tx, text, values) => (await tx.query({ text, values: [...values] })).rows,
};

/** What the client itself knows of its transaction. */
export function statusRefusal(client: Pick<PgClient, "getTransactionStatus">): string | null {
  const status = client.getTransactionStatus?.();
  if (status === undefined || status === "T") return null;
  return status === "E"
    ? "A statement in it has failed, so that it can only be rolled back."
    : "No transaction is open on this client of pg: send `begin` first and wait for it, and do not use it after its end.";
}

function isPool(tx: object): boolean {
  return hasFunctions(tx, "query", "connect") && "totalCount" in tx && "idleCount" in tx;
}
