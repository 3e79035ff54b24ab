import { LeaseLostError } from "../../jobs/outcomes/lease-lost-error.ts";
import { type GiveUp, gaveUp } from "../../jobs/outcomes/outcome.ts";
import type { JobError } from "../../jobs/reading/job.ts";
import { encodeOutput } from "../../jobs/values/json-value.ts";
import { assertLeaseIn, completeJobIn, failJobIn } from "../../store/adding/in-transaction.ts";
import { RefusedError } from "../../store/connections/database-error.ts";
import { type OpenTransaction, openTransaction } from "../../store/transactions/open-transaction.ts";
import type { Claim } from "../../store/working/claim.ts";

export interface StageTransactionParts {
  readonly schema: string;
  readonly claim: Claim;
  readonly pipeline: string;
  readonly stage: string;
  /** The attempt's log so far, as JSON text. */
  readonly log: () => string | null;
  /** If the transaction commits, the job may come again while this handler still runs. */
  readonly onEnded: () => void;
}

export const rolledBackCode = "transaction_rolled_back";

const lostCode = "LS006";

/** What one attempt does in transactions of its handler's own. Made only for attempts that use one. */
export class StageTransaction {
  readonly #parts: StageTransactionParts;
  #isEnding = false;
  #hasEnded = false;
  #failure: JobError | null = null;

  constructor(parts: StageTransactionParts) {
    this.#parts = parts;
  }

  /** Whether some transaction ends the stage when it commits, or has done so, or was rolled back. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** What the job fails with when that transaction commits; null when it ends the stage as done. */
  get failure(): JobError | null {
    return this.#failure;
  }

  /** Asked for a second time: PostgreSQL refuses it, unless the first transaction was rolled back. */
  async completeIn<Output>(tx: object, output: Output): Promise<Output> {
    const value = encodeOutput(output);
    await this.#end("completeIn", tx, (transaction, log) =>
      completeJobIn(transaction, this.#parts.claim, value, log),
    );
    this.#failure = null;
    return output;
  }

  async failIn(tx: object, reason: unknown): Promise<GiveUp> {
    const { answer, error } = gaveUp(reason);
    await this.#end("failIn", tx, (transaction, log) =>
      failJobIn(transaction, this.#parts.claim, JSON.stringify(error), log),
    );
    this.#failure = error;
    return answer;
  }

  async #end(
    name: string,
    tx: object,
    send: (transaction: OpenTransaction, log: string | null) => Promise<void>,
  ): Promise<void> {
    if (this.#isEnding) {
      throw new Error(`${name} was called while ${this.#about()} was being ended: end it once.`);
    }
    const transaction = openTransaction(tx, this.#parts.schema);
    this.#isEnding = true;
    try {
      await send(transaction, this.#parts.log());
      this.#hasEnded = true;
      this.#parts.onEnded();
    } catch (error) {
      throw this.#named(error);
    } finally {
      this.#isEnding = false;
    }
  }

  async assertLease(tx: object): Promise<void> {
    const transaction = openTransaction(tx, this.#parts.schema);
    try {
      await assertLeaseIn(transaction, this.#parts.claim);
    } catch (error) {
      throw this.#named(error);
    }
  }

  /** How the attempt fails if the stage was not done in its transaction. Without a stack, which would lead here. */
  rolledBack(): { readonly name: string; readonly code: string; readonly message: string } {
    return {
      name: "TransactionRolledBackError",
      code: rolledBackCode,
      message: `${this.#failure === null ? "completeIn" : "failIn"} was called for ${this.#about()}, but its transaction was rolled back.`,
    };
  }

  #named(error: unknown): unknown {
    if (!(error instanceof RefusedError) || error.code !== lostCode) return error;
    return new LeaseLostError(this.#parts.claim.jobId, "Let the transaction roll back.", { cause: error });
  }

  #about(): string {
    const { claim, pipeline, stage } = this.#parts;
    return `attempt ${claim.attempt} of job ${claim.jobId} in ${pipeline}/${stage}`;
  }
}
