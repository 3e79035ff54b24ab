import { statusRefusal } from "./pg.ts";
import { hasFunctions, type TransactionAdapter } from "./transaction-adapter.ts";

interface DrizzleTransaction {
  readonly _: { readonly session: DrizzleSession };
}

interface DrizzleSession {
  /** The driver's own: a client of pg, the sql of postgres.js, or another. */
  readonly client?: { getTransactionStatus?(): string | null };
  prepareQuery(
    query: { sql: string; params: unknown[] },
    fields: undefined,
    name: undefined,
    isResponseInArrayMode: boolean,
  ): { execute(): Promise<{ rows: unknown[] } | readonly unknown[]> };
}

/** What Drizzle hands to the function of `db.transaction`, over whichever PostgreSQL driver. */
export const drizzleAdapter: TransactionAdapter<DrizzleTransaction> = {
  name: "Drizzle",
  recognises(tx) {
    const { session } = (tx as Partial<DrizzleTransaction>)._ ?? {};
    return typeof session === "object" && hasFunctions(session, "prepareQuery");
  },
  refusal(tx) {
    if (!hasFunctions(tx, "rollback")) {
      return "It is the db of Drizzle itself: use `db.transaction(async (tx) => …)` and give what its function is handed.";
    }
    const { client } = tx._.session;
    return knowsItsStatus(client) ? statusRefusal(client) : null;
  },
  mustAsk: (tx) => !knowsItsStatus(tx._.session.client),
  saysEnded: () => false,
  async query(tx, text, values) {
    const query = { sql: text, params: [...values] };
    const result = await tx._.session.prepareQuery(query, undefined, undefined, false).execute();
    return "rows" in result ? result.rows : result;
  },
};

function knowsItsStatus(
  client: DrizzleSession["client"],
): client is { getTransactionStatus(): string | null } {
  return client !== undefined && hasFunctions(client, "getTransactionStatus");
}
