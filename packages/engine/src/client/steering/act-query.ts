import type { Row, Statement } from "../../store/connections/database.ts";
import { codeOf, RefusedError } from "../../store/connections/database-error.ts";

/** Sends the statements of an act in its transaction, until the act ends, and remembers those that failed. */
export class ActQuery {
  readonly #send: (statement: Statement) => Promise<Row[]>;
  #failures: unknown[] = [];
  #isOver = false;

  constructor(send: (statement: Statement) => Promise<Row[]>) {
    this.#send = send;
  }

  async query<Result = Row>(statement: Statement): Promise<Result[]> {
    if (this.#isOver) {
      throw new Error("This act is over: await every write before its function returns.");
    }
    try {
      return (await this.#send(statement)) as Result[];
    } catch (error) {
      const isRefused = /^LS\d{3}$/.test(codeOf(error));
      const failure = isRefused ? new RefusedError(error as Error) : error;
      this.#failures.push(failure);
      throw failure;
    }
  }

  /** No more statements from now on. If one has failed, throws its error: PostgreSQL will roll the act back. */
  end(): void {
    this.#isOver = true;
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  /** The error of PostgreSQL itself; null if there was none, or if it only refused what it was asked for. */
  get breakdown(): unknown {
    const [first = null] = this.#failures;
    return first instanceof RefusedError ? null : first;
  }
}
