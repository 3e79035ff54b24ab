import type { Clock } from "../../clock.ts";
import type { AttemptSpan, JobTracing } from "../../events/job-tracing.ts";
import { type FanOutParts, fanOutOf } from "../../jobs/adding/fan-out.ts";
import { estimatesOf } from "../../jobs/budgets/spends.ts";
import {
  type Outcome,
  outcomeOfAnswer,
  outcomeOfThrown,
  PermanentError,
  skip,
} from "../../jobs/outcomes/outcome.ts";
import { stageKey, type WorkStage } from "../../jobs/pipelines/work-stage.ts";
import type { JobError } from "../../jobs/reading/job.ts";
import { validatePayload } from "../../jobs/values/standard-schema.ts";
import type { Claim } from "../../store/working/claim.ts";
import type { BatchCall } from "./batch-call.ts";
import type { FanOuts } from "./fan-outs.ts";
import { HandlerContext, type HandlerContextParts } from "./handler-context.ts";
import { type AbortReason, RunAbort } from "./run-abort.ts";
import { withinGrace } from "./within-grace.ts";

export interface JobRunParts extends HandlerContextParts {
  readonly clock: Clock;
  /** None when nobody would see the spans. */
  readonly tracing?: Pick<JobTracing, "attempt" | "call"> | null;
  readonly fanOuts: Pick<FanOuts, "write" | "childrenOf">;
  /** How long an attempt may still write to its streams, and tell what it spent, after its signal has aborted. */
  readonly graceMs: number;
}

/** In place of an answer, where the job was put back before its handler ran: a budget has no room. */
const putBack = Symbol("put back");

const endedSentence =
  "A handler that ends its stage in a transaction cannot fan out: return the fan-out alone, or add jobs with { tx }.";

/**
 * One attempt of one stage, from the claim to its outcome:
 *
 *   trace → check the payload → reserve what it will spend → call the handler → read its answer → write its streams and spends → remove its
 *   folder → heed an abort
 *
 * Whatever happens becomes an outcome. A step that need not wait uses no promise, which is the cheapest way for many
 * short jobs.
 */
export class JobRun {
  readonly claim: Claim;
  readonly workStage: WorkStage;
  readonly startedMs: number;
  readonly context: HandlerContext;
  readonly #parts: JobRunParts;
  readonly #abort = new RunAbort();
  /** Of a batch handler; null: its handler takes one job. */
  readonly #call: BatchCall | null;
  #span: AttemptSpan | null = null;

  constructor(claim: Claim, workStage: WorkStage, parts: JobRunParts, call: BatchCall | null = null) {
    this.claim = claim;
    this.workStage = workStage;
    this.#parts = parts;
    this.#call = call;
    this.startedMs = parts.clock.monotonicMs();
    this.context = new HandlerContext(claim, workStage, this.#abort, parts);
  }

  get jobId(): string {
    return this.claim.jobId;
  }
  get pipeline(): string {
    return this.workStage.pipeline.name;
  }
  get stage(): string {
    return this.workStage.definition.name;
  }
  get attempt(): number {
    return this.claim.attempt;
  }

  /** Runs the handler. Never throws or rejects. */
  run(): Outcome | Promise<Outcome> {
    const { tracing } = this.#parts;
    if (!tracing) return this.#runHandler();
    this.#span = tracing.attempt(this);
    return this.#span.within(() => this.#runHandler());
  }

  /** Asks the handler to stop. The first reason stands. */
  abort(reason: AbortReason): void {
    this.#abort.abort(reason, this.#parts.clock.monotonicMs());
  }

  /** Called once, by whoever settles the attempt: its handler may never end. */
  end(outcome: Outcome): void {
    this.context.end();
    this.#span?.end(outcome);
  }

  get span(): AttemptSpan | null {
    return this.#span;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get abortReason(): AbortReason | null {
    return this.#abort.reason;
  }

  get abortedMs(): number {
    return this.#abort.atMs;
  }

  /** How the attempt ends when its handler does not stop. */
  get outcomeWithoutHandler(): Outcome {
    return this.#mindAbort({ kind: "release" });
  }

  get logAsJson(): string | null {
    return this.context.logAsJson;
  }

  /** Whether the handler used a transaction of its own, which may be open still. */
  get usesTransaction(): boolean {
    return this.context.transaction !== null;
  }

  /** Whether the stage is over when such a transaction commits. */
  get isEndedIn(): boolean {
    return this.context.transaction?.hasEnded === true;
  }

  /** What the job fails with when such a transaction commits; null when it ends the stage as done. */
  get failureIn(): JobError | null {
    return this.context.transaction?.failure ?? null;
  }

  #runHandler(): Outcome | Promise<Outcome> {
    try {
      const answer = this.#checkAndCall();
      if (isThenable(answer)) return this.#whenAnswered(answer);
      const outcome = this.#readAnswer(answer);
      return outcome instanceof Promise ? outcome.then((read) => this.#tidyUp(read)) : this.#tidyUp(outcome);
    } catch (thrown) {
      return this.#tidyUp(this.#readThrown(thrown));
    }
  }

  async #whenAnswered(answer: PromiseLike<unknown>): Promise<Outcome> {
    let outcome: Outcome;
    try {
      outcome = await this.#readAnswer(await answer);
    } catch (thrown) {
      outcome = this.#readThrown(thrown);
    }
    return this.#tidyUp(outcome);
  }

  #checkAndCall(): unknown {
    const { pipeline } = this.workStage;
    if (pipeline.payload === null) return this.#callHandler();
    const checked = validatePayload(pipeline.payload, this.claim.payload);
    if (checked instanceof Promise) return checked.then((payload) => this.#callHandlerWith(payload));
    return this.#callHandlerWith(checked);
  }

  #callHandlerWith(payload: unknown): unknown {
    this.context.setPayload(payload);
    return this.#callHandler();
  }

  #callHandler(): unknown {
    const { when, options } = this.workStage.definition;
    if (when !== undefined && !this.#isWanted(when)) return skip(this.context.output);
    // Numbers were reserved with the claim.
    const amounts = options.spends === null ? null : estimatesOf(options.spends, this.context);
    if (amounts === null) return this.#handle();
    return this.context.reserve(amounts).then((isReserved) => (isReserved ? this.#handle() : putBack));
  }

  #handle(): unknown {
    return this.#call === null ? this.workStage.definition.handler(this.context) : this.#call.join(this);
  }

  #isWanted(when: (context: HandlerContext) => unknown): boolean {
    const isWanted = when(this.context);
    if (typeof isWanted === "boolean") return isWanted;
    // A promise would count as true.
    throw new PermanentError(`when of stage ${stageKey(this.workStage)} must return true or false.`);
  }

  #readAnswer(answer: unknown): Outcome | Promise<Outcome> {
    // The database recognises the claim as one that has ended.
    if (answer === putBack) return { kind: "release" };
    const wanted = fanOutOf(answer);
    if (wanted !== null) return this.#fanOut(wanted);
    const outcome = outcomeOfAnswer(answer, this.workStage.definition.options.retry, this.claim.attempt);
    const { transaction } = this.context;
    if (transaction?.hasEnded !== true) return outcome;
    const isForTransaction =
      outcome.kind === "done" || (outcome.kind === "give_up" && transaction.failure !== null);
    // That is for the transaction to say: without its commit the stage's effects would be missing.
    return isForTransaction ? this.#readThrown(transaction.rolledBack()) : outcome;
  }

  async #fanOut(wanted: FanOutParts): Promise<Outcome> {
    // Too late: the attempt has failed as a timeout.
    if (this.abortReason === "timeout") return { kind: "release" };
    if (this.isEndedIn) return this.#readThrown(new PermanentError(endedSentence));
    // First, since the fan-out ends the stage.
    const unwritten = await this.#flush();
    return unwritten === null ? this.#parts.fanOuts.write(this, wanted) : this.#readThrown(unwritten.error);
  }

  #readThrown(thrown: unknown): Outcome {
    return outcomeOfThrown(thrown, this.workStage.definition.options.retry, this.claim.attempt);
  }

  #tidyUp(outcome: Outcome): Outcome | Promise<Outcome> {
    this.#call?.leave(this);
    const writing = this.#flush();
    if (writing === null) return this.#removeFolder(outcome);
    return writing.then((unwritten) =>
      // How a failed attempt ends is for its own error to say.
      this.#removeFolder(
        unwritten === null || outcome.kind !== "done" ? outcome : this.#readThrown(unwritten.error),
      ),
    );
  }

  /** Before the attempt's end is known to anybody, so that nothing follows it. Never rejects. Null when there is nothing to write. */
  #flush(): Promise<{ readonly error: unknown } | null> | null {
    const flushing = this.context.flush();
    if (flushing === null) return null;
    const { clock, graceMs } = this.#parts;
    return withinGrace(flushing, { signal: this.signal, clock, graceMs }).then(
      () => null,
      (error: unknown) => ({ error }),
    );
  }

  #removeFolder(outcome: Outcome): Outcome | Promise<Outcome> {
    const removing = this.context.removeTempFolder();
    return removing === null ? this.#mindAbort(outcome) : removing.then(() => this.#mindAbort(outcome));
  }

  #mindAbort(outcome: Outcome): Outcome {
    return this.#abort.outcomeOf(outcome, this.workStage, this.attempt);
  }
}

function isThenable(answer: unknown): answer is PromiseLike<unknown> {
  if ((typeof answer !== "object" || answer === null) && typeof answer !== "function") return false;
  return typeof (answer as { then?: unknown }).then === "function";
}
