import type { Row, Statement } from "../store/database.ts";
import { codeOf, RefusedError } from "../store/database-error.ts";

/** Statements of an act, in its transaction, until they are told to end; it remembers the first that failed. */
export class ActQuery {
  readonly #send: (statement: Statement) => Promise<Row[]>;
  #failures: unknown[] = [];
  #isOver = false;

  constructor(send: (statement: Statement) => Promise<Row[]>) {
    this.#send = send;
  }

  async query<Result = Row>(statement: Statement): Promise<Result[]> {
    if (this.#isOver) {
      throw new Error("This act is over: every write must have been waited for when its function returns.");
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

  /** No more statements from now on. Throws what one has failed with: PostgreSQL keeps nothing of the act then. */
  end(): void {
    this.#isOver = true;
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  /** What went wrong with PostgreSQL itself, as it said it; null where nothing did, or it refused what it was asked. */
  get breakdown(): unknown {
    const [first = null] = this.#failures;
    return first instanceof RefusedError ? null : first;
  }
}
