import type { BatchContext } from "../../jobs/pipelines/batch-option.ts";
import type { StageContext } from "../../jobs/pipelines/stage-context.ts";

/** What a batch handler receives besides its jobs: a signal that aborts when each job that still runs was told to stop. */
export class BatchSignal implements BatchContext {
  readonly #running: Set<StageContext>;
  /** How many of those were told to stop; counted once the signal is in use. */
  #told = 0;
  #controller: AbortController | null = null;

  constructor(contexts: readonly StageContext[]) {
    this.#running = new Set(contexts);
  }

  /** Made when it is first asked for, as are those of the jobs. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      for (const context of this.#running) {
        const { signal } = context;
        if (signal.aborted) this.#tell(context);
        else signal.addEventListener("abort", () => this.#tell(context), { once: true });
      }
    }
    return this.#controller.signal;
  }

  /** The attempt of this job has ended: it is not asked any more. */
  ended(context: StageContext): void {
    if (!this.#running.delete(context) || this.#controller === null) return;
    if (context.signal.aborted) this.#told -= 1;
    this.#abortIfAllAreTold();
  }

  #tell(context: StageContext): void {
    if (!this.#running.has(context)) return;
    this.#told += 1;
    this.#abortIfAllAreTold();
  }

  #abortIfAllAreTold(): void {
    const [first] = this.#running;
    if (first !== undefined && this.#told === this.#running.size)
      this.#controller?.abort(first.signal.reason);
  }
}
