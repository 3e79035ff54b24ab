import { hasFunctions, type TransactionAdapter } from "./transaction-adapter.ts";

interface KnexTransaction {
  readonly isTransaction?: boolean;
  isCompleted(): boolean;
  raw(text: string, bindings: unknown[]): PromiseLike<{ rows: unknown[] } | readonly unknown[]>;
}

/** What Knex hands to the function of `knex.transaction`, or what it resolves to without one. */
export const knexAdapter: TransactionAdapter<KnexTransaction> = {
  name: "Knex",
  recognises: (tx) => typeof tx === "function" && hasFunctions(tx, "raw", "transaction", "queryBuilder"),
  refusal(tx) {
    if (tx.isTransaction !== true) {
      return "It is the knex itself: use `knex.transaction(async (tx) => …)` and give what its function is handed.";
    }
    return tx.isCompleted() ? "This transaction of Knex was committed or rolled back already." : null;
  },
  mustAsk: () => false,
  saysEnded: () => false,
  async query(tx, text, values) {
    const { sql, bindings } = withQuestionMarks(text, values);
    try {
      const result = await tx.raw(sql, bindings);
      return "rows" in result ? result.rows : result;
    } catch (error) {
      throw withoutStatement(error, text);
    }
  },
};

// Knex counts question marks, and its bindings are never looked into.
function withQuestionMarks(
  text: string,
  values: readonly (string | null)[],
): { sql: string; bindings: (string | null)[] } {
  const bindings: (string | null)[] = [];
  const sql = text.replace(/\$(\d+)/g, (_, number) => {
    bindings.push(values[Number(number) - 1] ?? null);
    return "?";
  });
  return { sql, bindings };
}

/** Knex writes the statement in front of what PostgreSQL says. */
function withoutStatement(error: unknown, statement: string): unknown {
  if (error instanceof Error && error.message.startsWith(`${statement} - `)) {
    error.message = error.message.slice(statement.length + 3);
  }
  return error;
}
