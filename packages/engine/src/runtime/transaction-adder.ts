import type { Clock } from "../clock.ts";
import type { Added } from "../jobs/job.ts";
import type { AnyPipeline } from "../jobs/pipeline.ts";
import { type EncodedJob, jobsPerCall } from "../store/add-jobs.ts";
import { addJobsIn } from "../store/in-transaction.ts";
import { openTransaction } from "../store/transactions/open-transaction.ts";
import { encodeCheckedJob } from "./encoded-job.ts";
import type { AddItem } from "./job-adder.ts";
import type { JobTracing } from "./job-tracing.ts";

export interface TransactionAdderParts {
  readonly clock: Pick<Clock, "now">;
  /** Resolves when the database knows the pipelines. */
  readonly ready: () => Promise<unknown>;
  /** None when nobody would see the spans. */
  readonly tracing: Pick<JobTracing, "add"> | null;
}

/**
 * Adds jobs in the caller's transaction: at once, since it may end with the next line, and never again, since only the
 * caller learns what became of it. So nothing is announced here either; at its commit the database wakes workers.
 */
export class TransactionAdder {
  readonly #parts: TransactionAdderParts;

  constructor(parts: TransactionAdderParts) {
    this.#parts = parts;
  }

  add(pipeline: AnyPipeline, items: readonly AddItem[], tx: unknown): Promise<Added[]> {
    const { tracing } = this.#parts;
    if (tracing === null || items.length === 0) return this.#add(pipeline, items, tx, null);
    return tracing.add(pipeline.name, items.length, (trace) => this.#add(pipeline, items, tx, trace));
  }

  async #add(
    pipeline: AnyPipeline,
    items: readonly AddItem[],
    tx: unknown,
    trace: string | null,
  ): Promise<Added[]> {
    const { clock, ready } = this.#parts;
    const transaction = openTransaction(tx);
    const now = clock.now();
    const jobs: EncodedJob[] = [];
    // All of them before the first is sent: what is refused here leaves the transaction as it was.
    for (const { payload, ...options } of items) {
      jobs.push(await encodeCheckedJob(pipeline, payload, options, now, trace));
    }
    await ready();
    const added: Added[] = [];
    for (let start = 0; start < jobs.length; start += jobsPerCall) {
      added.push(...(await addJobsIn(transaction, jobs.slice(start, start + jobsPerCall))));
    }
    return added;
  }
}
