import type { Clock } from "../clock.ts";
import type { AddOptions } from "../jobs/add-options.ts";
import type { Added } from "../jobs/job.ts";
import type { AnyPipeline } from "../jobs/pipeline.ts";
import type { EncodedJob } from "../store/add-jobs.ts";
import { addJobsIn } from "../store/in-transaction.ts";
import { openTransaction } from "../store/transactions/open-transaction.ts";
import { encodeCheckedJob } from "./encoded-job.ts";

export interface TransactionAdderParts {
  readonly clock: Pick<Clock, "now">;
  /** Resolves when the database knows the pipelines. */
  readonly ready: () => Promise<unknown>;
}

const jobsPerCall = 1_000;

/**
 * Adds jobs in the caller's transaction: at once, since it may end with the next line, and never again, since only the
 * caller learns what became of it. So nothing is announced here either; at its commit the database wakes workers.
 */
export class TransactionAdder {
  readonly #parts: TransactionAdderParts;

  constructor(parts: TransactionAdderParts) {
    this.#parts = parts;
  }

  async add(
    pipeline: AnyPipeline,
    items: readonly (AddOptions & { readonly payload: unknown })[],
    tx: unknown,
  ): Promise<Added[]> {
    const { clock, ready } = this.#parts;
    const transaction = openTransaction(tx);
    const now = clock.now();
    const jobs: EncodedJob[] = [];
    // All of them before the first is sent: what is refused here leaves the transaction as it was.
    for (const { payload, ...options } of items) {
      jobs.push(await encodeCheckedJob(pipeline, payload, options, now));
    }
    await ready();
    const added: Added[] = [];
    for (let start = 0; start < jobs.length; start += jobsPerCall) {
      added.push(...(await addJobsIn(transaction, jobs.slice(start, start + jobsPerCall))));
    }
    return added;
  }
}
