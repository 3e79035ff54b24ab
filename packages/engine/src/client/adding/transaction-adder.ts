import type { Clock } from "../../clock.ts";
import type { JobTracing } from "../../events/job-tracing.ts";
import type { AnyPipeline } from "../../jobs/pipelines/pipeline.ts";
import type { Added } from "../../jobs/reading/job.ts";
import { type EncodedJob, jobsPerCall } from "../../store/adding/add-jobs.ts";
import { addJobsIn } from "../../store/adding/in-transaction.ts";
import { openTransaction } from "../../store/transactions/open-transaction.ts";
import { encodeCheckedJob } from "./encoded-job.ts";
import type { AddItem } from "./job-adder.ts";

export interface TransactionAdderParts {
  /** The name of the schema. */
  readonly schema: string;
  readonly clock: Pick<Clock, "now">;
  /** Resolves when the database knows the pipelines. */
  readonly ready: () => Promise<unknown>;
  /** None when nobody would see the spans. */
  readonly tracing: Pick<JobTracing, "add"> | null;
}

/**
 * Adds jobs in the caller's transaction. They are sent at once, since the transaction may end with the caller's next line,
 * and only once, since only the caller learns how it ended. So nothing is announced here: the commit wakes workers.
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
    const { schema, clock, ready } = this.#parts;
    const transaction = openTransaction(tx, schema);
    const now = clock.now();
    const jobs: EncodedJob[] = [];
    // All are checked before the first is sent: a refusal leaves the transaction as it was.
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
