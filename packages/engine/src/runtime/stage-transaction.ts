import { encodeOutput } from "../jobs/json-value.ts";
import { LeaseLostError } from "../jobs/lease-lost-error.ts";
import type { Claim } from "../store/claim.ts";
import { RefusedError } from "../store/database-error.ts";
import { assertLeaseIn, completeJobIn } from "../store/in-transaction.ts";
import { openTransaction } from "../store/transactions/open-transaction.ts";

export interface StageTransactionParts {
  readonly claim: Claim;
  readonly pipeline: string;
  readonly stage: string;
  /** The try's log so far, as JSON text. */
  readonly log: () => string | null;
  /** If the transaction commits, the job may come again while this handler still runs. */
  readonly onCompleted: () => void;
}

export const rolledBackCode = "transaction_rolled_back";

const lostCode = "LS006";

/** What one try does in transactions of its handler's own. Made for the tries that ask for it. */
export class StageTransaction {
  readonly #parts: StageTransactionParts;
  #isCompleting = false;
  #hasCompleted = false;

  constructor(parts: StageTransactionParts) {
    this.#parts = parts;
  }

  /** Whether some transaction ends the stage when it commits, or has done so, or was rolled back. */
  get hasCompleted(): boolean {
    return this.#hasCompleted;
  }

  /** Asked for a second time: PostgreSQL refuses it, unless the first transaction was rolled back. */
  async completeIn<Output>(tx: object, output: Output): Promise<Output> {
    if (this.#isCompleting) {
      throw new Error(`completeIn was called twice at the same time for ${this.#about()}: call it once.`);
    }
    const transaction = openTransaction(tx);
    const { claim, log, onCompleted } = this.#parts;
    const value = encodeOutput(output);
    this.#isCompleting = true;
    try {
      await completeJobIn(transaction, claim, value, log());
      this.#hasCompleted = true;
      onCompleted();
      return output;
    } catch (error) {
      throw this.#named(error);
    } finally {
      this.#isCompleting = false;
    }
  }

  async assertLease(tx: object): Promise<void> {
    const transaction = openTransaction(tx);
    try {
      await assertLeaseIn(transaction, this.#parts.claim);
    } catch (error) {
      throw this.#named(error);
    }
  }

  /** How the try fails if the stage was not done in its transaction. Without a stack, which would lead here. */
  rolledBack(): { readonly name: string; readonly code: string; readonly message: string } {
    return {
      name: "TransactionRolledBackError",
      code: rolledBackCode,
      message: `completeIn was called for ${this.#about()}, but its transaction was rolled back.`,
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
