import type { Outcome } from "../../jobs/outcomes/outcome.ts";
import { stageKey, type WorkStage } from "../../jobs/pipelines/work-stage.ts";

/** Why a handler's signal aborts. */
export type AbortReason = "timeout" | "cancel" | "lease_lost" | "shutdown";

const sentences: Record<AbortReason, string> = {
  timeout: "The stage's timeoutMs is over",
  cancel: "The job was cancelled",
  lease_lost: "This worker has lost its lease, so another may run the job",
  shutdown: "The worker shuts down",
};

/** Whether and why the handler of one attempt was asked to stop. */
export class RunAbort {
  #controller: AbortController | null = null;
  #reason: AbortReason | null = null;
  #atMs = 0;

  /** The first reason stands. */
  abort(reason: AbortReason, nowMs: number): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#atMs = nowMs;
    this.#controller?.abort(abortError(reason));
  }

  get reason(): AbortReason | null {
    return this.#reason;
  }

  get atMs(): number {
    return this.#atMs;
  }

  /** Made when first asked for: most short handlers never do. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#reason !== null) this.#controller.abort(abortError(this.#reason));
    }
    return this.#controller.signal;
  }

  /** How an attempt ends that would have ended like this without the abort. */
  outcomeOf(outcome: Outcome, workStage: WorkStage, attempt: number): Outcome {
    switch (this.#reason) {
      case "timeout":
        return { kind: "retry", error: timeoutError(workStage, attempt), afterMs: null, timedOut: true };
      case "cancel":
        // The database makes it cancelled, whatever the failure was; a completion that came first stands.
        return "value" in outcome ? outcome : { kind: "release" };
      case "lease_lost":
      case "shutdown":
        // Not the job's fault: the attempt is given back unspent, unless it was finished all the same.
        return outcome.kind === "retry" ? { kind: "release" } : outcome;
      default:
        return outcome;
    }
  }
}

function timeoutError(workStage: WorkStage, attempt: number) {
  const { timeoutMs } = workStage.definition.options;
  return {
    name: "TimeoutError",
    code: "timeout",
    message: `Stage ${stageKey(workStage)} took longer than its timeout of ${timeoutMs} ms in attempt ${attempt}`,
  };
}

function abortError(reason: AbortReason): Error {
  const error = new Error(`${sentences[reason]}.`);
  error.name = "AbortError";
  return Object.assign(error, { reason });
}
