import { connectionTarget, openClient } from "@lockstep/database/internal";
import type pg from "pg";
import { CliError, usageError } from "../../errors/cli-error.ts";

/** One connection, and at most one transaction on it: what is run inside of another becomes a part of it. */
export class Transactions {
  readonly client: pg.Client;
  #isOpen = false;

  private constructor(client: pg.Client) {
    this.client = client;
  }

  static async connect(url: string, whose: string): Promise<Transactions> {
    const advice = whose === "Lockstep" ? "Check DATABASE_URL or --database-url." : "Check --from.";
    const refused = (why: string) => usageError(`The database of ${whose} cannot be used: ${why}`, advice);
    const target = connectionTarget({ databaseUrl: url }, refused);
    try {
      return new Transactions(await openClient(target, { application_name: "lockstep import" }));
    } catch (cause) {
      throw new CliError({
        exit: "unreachable",
        code: "database.unavailable",
        message: `The database of ${whose} cannot be reached.`,
        why: cause instanceof Error ? cause.message : String(cause),
        advice,
        cause,
      });
    }
  }

  /** Committed if `run` comes back, and rolled back if it throws. */
  async run<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    if (this.#isOpen) return await run();
    return await this.#within("commit", run);
  }

  /** All of it is undone at the end. */
  async tryOut<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    return await this.#within("rollback", run);
  }

  /** What `run` has written is undone if it throws; the transaction goes on. */
  async attempt<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    await this.client.query("savepoint attempt");
    try {
      const answer = await run();
      await this.client.query("release savepoint attempt");
      return answer;
    } catch (error) {
      await this.client.query("rollback to savepoint attempt");
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  async #within<Answer>(end: "commit" | "rollback", run: () => Promise<Answer>): Promise<Answer> {
    await this.client.query("begin");
    this.#isOpen = true;
    try {
      const answer = await run();
      await this.client.query(end);
      return answer;
    } catch (error) {
      // A connection that is gone has rolled back already.
      await this.client.query("rollback").catch(() => {});
      throw error;
    } finally {
      this.#isOpen = false;
    }
  }
}
