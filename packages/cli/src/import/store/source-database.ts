import { CliError } from "../../errors/cli-error.ts";
import { isSameDatabase } from "./is-same-database.ts";
import { Transactions } from "./transactions.ts";

export interface SourceDatabaseOptions {
  readonly url: string;
  readonly schema: string;
  readonly whose: string;
  /** Lockstep's own database. */
  readonly here: Transactions;
}

// Statements name their tables without a schema, which is the caller's to choose; everything ends with the transaction.
const useSchema = "select set_config('search_path', 'pg_catalog, ' || quote_ident($1), true)";
const hasTable = "select to_regclass(format('%I.%I', $1::text, $2::text)) is not null as is_there";

/** The tables of another queue. */
export class SourceDatabase {
  /** In Lockstep's own database, on Lockstep's own connection: one transaction covers both queues. */
  readonly isShared: boolean;
  readonly #transactions: Transactions;
  readonly #schema: string;

  private constructor(transactions: Transactions, schema: string, isShared: boolean) {
    this.#transactions = transactions;
    this.#schema = schema;
    this.isShared = isShared;
  }

  static async open({ url, schema, whose, here }: SourceDatabaseOptions): Promise<SourceDatabase> {
    const there = await Transactions.connect(url, whose);
    try {
      if (!(await isSameDatabase(here, there))) return new SourceDatabase(there, schema, false);
    } catch (error) {
      await there.close();
      throw error;
    }
    await there.close();
    return new SourceDatabase(here, schema, true);
  }

  async rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return await this.#transactions.run(async () => {
      const { client } = this.#transactions;
      await client.query(useSchema, [this.#schema]);
      return (await client.query(text, [...values])).rows;
    });
  }

  /** Refuses, with a sentence, a schema without this table. */
  async requireTable(table: string, whose: string): Promise<void> {
    const [found] = await this.rows<{ is_there: boolean }>(hasTable, [this.#schema, table]);
    if (found?.is_there) return;
    throw new CliError({
      exit: "notFound",
      code: "import.no_source",
      message: `There is no ${whose} in the schema "${this.#schema}" of that database.`,
      why: `It has no table "${table}" there, or this user may not see it.`,
      advice: "Say where it is with --from and --from-schema.",
    });
  }

  async close(): Promise<void> {
    if (!this.isShared) await this.#transactions.close();
  }
}
