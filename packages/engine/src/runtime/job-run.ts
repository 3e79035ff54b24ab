import type { Clock } from "../clock.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import { type FanOutParts, fanOutOf } from "../jobs/fan-out.ts";
import type { JobError } from "../jobs/job.ts";
import type { Children } from "../jobs/job-outcome.ts";
import { type Outcome, outcomeOfAnswer, outcomeOfThrown, PermanentError } from "../jobs/outcome.ts";
import type { StageContext, StageLog } from "../jobs/stage-context.ts";
import { validatePayload } from "../jobs/standard-schema.ts";
import { type ScheduleTick, tickOf } from "../jobs/tick-of.ts";
import type { Claim } from "../store/claim.ts";
import { AttemptLog } from "./attempt-log.ts";
import type { EffectRunner } from "./effect-runner.ts";
import type { FanOuts } from "./fan-outs.ts";
import type { AttemptSpan, JobTracing } from "./job-tracing.ts";
import type { ProgressReporter } from "./progress-reporter.ts";
import { StageTransaction } from "./stage-transaction.ts";
import type { TempFolders } from "./temp-folder.ts";
import type { WorkStage } from "./work-stage.ts";

/** Why a handler's signal aborts. */
export type AbortReason = "timeout" | "cancel" | "lease_lost" | "shutdown";

export interface JobRunParts {
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly progress: Pick<ProgressReporter, "report">;
  readonly tempFolders: Pick<TempFolders, "create" | "remove">;
  /** What runs the effects of a try. */
  readonly effectsOf: (run: JobRun) => Pick<EffectRunner, "once">;
  /** None when nobody would see the spans. */
  readonly tracing?: Pick<JobTracing, "attempt"> | null;
  /** Some transaction ends the stage when it commits: the job may come again while this try still runs. */
  readonly onEndedIn: (jobId: string) => void;
  readonly fanOuts: Pick<FanOuts, "write" | "childrenOf">;
}

const abortSentences: Record<AbortReason, string> = {
  timeout: "The stage's timeoutMs is over",
  cancel: "The job was cancelled",
  lease_lost: "This worker has lost its lease, so another may run the job",
  shutdown: "The worker shuts down",
};

const endedSentence =
  "A handler that ends its stage in a transaction cannot fan out: return the fan-out alone, or add jobs with { tx }.";

/** One try of one stage, from the claim to its outcome. It is also what the handler is handed. */
export class JobRun implements StageContext {
  readonly claim: Claim;
  readonly workStage: WorkStage;
  readonly startedMs: number;
  readonly #parts: JobRunParts;
  #payload: unknown;
  #abortController: AbortController | null = null;
  #abortReason: AbortReason | null = null;
  #abortedMs = 0;
  #log: AttemptLog | null = null;
  #tempFolder: Promise<string> | null = null;
  #effects: Pick<EffectRunner, "once"> | null = null;
  #span: AttemptSpan | null = null;
  #transaction: StageTransaction | null = null;

  constructor(claim: Claim, workStage: WorkStage, parts: JobRunParts) {
    this.claim = claim;
    this.workStage = workStage;
    this.#parts = parts;
    this.#payload = claim.payload;
    this.startedMs = parts.clock.monotonicMs();
  }

  /**
   * Runs the handler. Never throws or rejects: whatever happens is an outcome. Answers without a promise when
   * the handler does, which is the cheapest way for many short jobs.
   */
  run(): Outcome | Promise<Outcome> {
    const { tracing } = this.#parts;
    if (!tracing) return this.#run();
    this.#span = tracing.attempt(this);
    return this.#span.within(() => this.#run());
  }

  /** Told once, by whoever settles the try: its handler may never end. */
  endSpan(outcome: Outcome): void {
    this.#span?.end(outcome);
  }

  #run(): Outcome | Promise<Outcome> {
    try {
      const answer = this.#callHandler();
      if (isThenable(answer)) return this.#whenAnswered(answer);
      const wanted = fanOutOf(answer);
      if (wanted !== null) return this.#fannedOut(wanted).then((outcome) => this.#ended(outcome));
      return this.#ended(this.#outcomeOf(answer));
    } catch (thrown) {
      return this.#ended(this.#outcomeOfThrown(thrown));
    }
  }

  /** Asks the handler to stop. The first reason stands. */
  abort(reason: AbortReason): void {
    if (this.#abortReason !== null) return;
    this.#abortReason = reason;
    this.#abortedMs = this.#parts.clock.monotonicMs();
    this.#abortController?.abort(abortError(reason));
  }

  get abortReason(): AbortReason | null {
    return this.#abortReason;
  }

  get abortedMs(): number {
    return this.#abortedMs;
  }

  /** What the try ends as when its handler does not stop. */
  get outcomeWithoutHandler(): Outcome {
    return this.#afterAbort({ kind: "release" });
  }

  get logAsJson(): string | null {
    return this.#log?.asJson() ?? null;
  }

  /** Whether the handler used a transaction of its own, which may be open still. */
  get usesTransaction(): boolean {
    return this.#transaction !== null;
  }

  /** Whether the stage is over when such a transaction commits. */
  get isEndedIn(): boolean {
    return this.#transaction?.hasEnded === true;
  }

  /** What the job fails with when such a transaction commits; null when it ends the stage as done. */
  get failureIn(): JobError | null {
    return this.#transaction?.failure ?? null;
  }

  #callHandler(): unknown {
    const { definition, pipeline } = this.workStage;
    if (pipeline.payload === null) return definition.handler(this);
    const validated = validatePayload(pipeline.payload, this.claim.payload);
    if (validated instanceof Promise) return validated.then((payload) => this.#callWith(payload));
    return this.#callWith(validated);
  }

  #callWith(payload: unknown): unknown {
    this.#payload = payload;
    return this.workStage.definition.handler(this);
  }

  async #whenAnswered(answer: PromiseLike<unknown>): Promise<Outcome> {
    let outcome: Outcome;
    try {
      const answered = await answer;
      const wanted = fanOutOf(answered);
      outcome = wanted === null ? this.#outcomeOf(answered) : await this.#fannedOut(wanted);
    } catch (thrown) {
      outcome = this.#outcomeOfThrown(thrown);
    }
    return this.#ended(outcome);
  }

  async #fannedOut(wanted: FanOutParts): Promise<Outcome> {
    // Too late: the try has failed as a timeout.
    if (this.#abortReason === "timeout") return { kind: "release" };
    if (this.isEndedIn) return this.#outcomeOfThrown(new PermanentError(endedSentence));
    return this.#parts.fanOuts.write(this, wanted);
  }

  #outcomeOf(answer: unknown): Outcome {
    const outcome = outcomeOfAnswer(answer, this.workStage.definition.options.retry, this.claim.attempt);
    const isForTransaction =
      outcome.kind === "done" || (outcome.kind === "give_up" && this.failureIn !== null);
    if (this.#transaction?.hasEnded !== true || !isForTransaction) return outcome;
    // That is for the transaction to say: without its commit the stage's effects would be missing.
    return this.#outcomeOfThrown(this.#transaction.rolledBack());
  }

  #outcomeOfThrown(thrown: unknown): Outcome {
    return outcomeOfThrown(thrown, this.workStage.definition.options.retry, this.claim.attempt);
  }

  #ended(outcome: Outcome): Outcome | Promise<Outcome> {
    if (this.#tempFolder === null) return this.#afterAbort(outcome);
    return this.#removeTempFolder(this.#tempFolder).then(() => this.#afterAbort(outcome));
  }

  #afterAbort(outcome: Outcome): Outcome {
    switch (this.#abortReason) {
      case "timeout":
        return { kind: "retry", error: this.#timeoutError(), afterMs: null, timedOut: true };
      case "cancel":
        // The database makes it cancelled, whatever the failure was; a completion that came first stands.
        return outcome.kind === "done" ? outcome : { kind: "release" };
      case "lease_lost":
      case "shutdown":
        // Not the job's fault: the try is given back unspent, unless it was finished all the same.
        return outcome.kind === "retry" ? { kind: "release" } : outcome;
      default:
        return outcome;
    }
  }

  #timeoutError() {
    const { pipeline, stage, attempt } = this;
    const timeoutMs = this.workStage.definition.options.timeoutMs;
    return {
      name: "TimeoutError",
      code: "timeout",
      message: `Stage ${pipeline}/${stage} took longer than its timeoutMs of ${timeoutMs} in attempt ${attempt}`,
    };
  }

  async #removeTempFolder(folder: Promise<string>): Promise<void> {
    await folder.then((path) => this.#parts.tempFolders.remove(path)).catch(() => {});
  }

  // What the handler sees.

  get jobId(): string {
    return this.claim.jobId;
  }
  get pipeline(): string {
    return this.workStage.pipeline.name;
  }
  get stage(): string {
    return this.workStage.definition.name;
  }
  get payload(): unknown {
    return this.#payload;
  }
  get output(): unknown {
    const { previous } = this.workStage;
    return previous === null ? undefined : this.claim.outputs[previous];
  }
  get outputs(): Readonly<Record<string, unknown>> {
    return this.claim.outputs;
  }
  get attempt(): number {
    return this.claim.attempt;
  }
  get maxAttempts(): number {
    return this.workStage.definition.options.maxAttempts;
  }
  get owner(): string | null {
    return this.claim.owner;
  }
  get tags(): readonly string[] {
    return this.claim.tags;
  }
  get groupKey(): string | null {
    return this.claim.more?.groupKey ?? null;
  }
  get schedule(): ScheduleTick | null {
    return tickOf(this.claim.tags);
  }

  get children(): Children {
    return this.#parts.fanOuts.childrenOf(this.jobId);
  }

  get signal(): AbortSignal {
    // Made when first asked for: most short handlers never do.
    if (this.#abortController === null) {
      this.#abortController = new AbortController();
      if (this.#abortReason !== null) this.#abortController.abort(abortError(this.#abortReason));
    }
    return this.#abortController.signal;
  }

  // An arrow, since handlers take it out of the context: `({ progress }) => progress(50)`.
  // Made when asked for, like the signal.
  get progress(): StageContext["progress"] {
    return (percent, note, data) => {
      // The transaction that ends the stage has the job's row: other jobs' progress would wait for it.
      if (this.isEndedIn) return;
      this.#parts.progress.report(this.claim, percent, note ?? null, data ?? null);
    };
  }

  get log(): StageLog {
    if (this.#log === null) {
      const { jobId, pipeline, stage, attempt } = this;
      this.#log = new AttemptLog(this.#parts.clock, this.#parts.events, { jobId, pipeline, stage, attempt });
    }
    return this.#log;
  }

  get tempFolder(): StageContext["tempFolder"] {
    return () => {
      this.#tempFolder ??= this.#parts.tempFolders.create(this.jobId, this.attempt);
      return this.#tempFolder;
    };
  }

  get once(): StageContext["once"] {
    this.#effects ??= this.#parts.effectsOf(this);
    const effects = this.#effects;
    // The ledger gives back what was returned to it; its types are only a promise, as those of outputs are.
    return ((key, run, options) => effects.once(key, run, options)) as StageContext["once"];
  }

  get completeIn(): StageContext["completeIn"] {
    return (tx, output) => this.#inTransaction().completeIn(tx, output);
  }

  get failIn(): StageContext["failIn"] {
    return (tx, reason) => this.#inTransaction().failIn(tx, reason);
  }

  get assertLease(): StageContext["assertLease"] {
    return (tx) => this.#inTransaction().assertLease(tx);
  }

  #inTransaction(): StageTransaction {
    const { claim, pipeline, stage } = this;
    this.#transaction ??= new StageTransaction({
      claim,
      pipeline,
      stage,
      log: () => this.logAsJson,
      onEnded: () => this.#parts.onEndedIn(claim.jobId),
    });
    return this.#transaction;
  }
}

function isThenable(answer: unknown): answer is PromiseLike<unknown> {
  if ((typeof answer !== "object" || answer === null) && typeof answer !== "function") return false;
  return typeof (answer as { then?: unknown }).then === "function";
}

function abortError(reason: AbortReason): Error {
  const error = new Error(`${abortSentences[reason]}.`);
  error.name = "AbortError";
  return Object.assign(error, { reason });
}
