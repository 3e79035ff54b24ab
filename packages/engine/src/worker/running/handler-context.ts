import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import type { Budget } from "../../jobs/budgets/budget.ts";
import { checkSpend } from "../../jobs/budgets/checked-spend.ts";
import { InvalidSpendError } from "../../jobs/budgets/invalid-spend-error.ts";
import type { Children } from "../../jobs/outcomes/job-outcome.ts";
import { LeaseLostError } from "../../jobs/outcomes/lease-lost-error.ts";
import type { StageContext, StageLog } from "../../jobs/pipelines/stage-context.ts";
import type { WorkStage } from "../../jobs/pipelines/work-stage.ts";
import { type ScheduleTick, tickOf } from "../../jobs/schedules/tick-of.ts";
import type { JobStream } from "../../jobs/streams/job-stream.ts";
import type { Claim } from "../../store/working/claim.ts";
import type { ClaimStore } from "../../store/working/claim-store.ts";
import { AttemptSpends, type SpendsRun } from "../spending/attempt-spends.ts";
import type { BudgetKeeper } from "../spending/budget-keeper.ts";
import { AttemptStream, type StreamRun } from "../streaming/attempt-stream.ts";
import type { StreamWriter } from "../streaming/stream-writer.ts";
import { AttemptLog } from "./attempt-log.ts";
import type { EffectRun, EffectRunner } from "./effect-runner.ts";
import type { FanOuts } from "./fan-outs.ts";
import type { ProgressReporter } from "./progress-reporter.ts";
import type { RunAbort } from "./run-abort.ts";
import { StageTransaction } from "./stage-transaction.ts";
import type { TempFolders } from "./temp-folder.ts";

export interface HandlerContextParts {
  /** The name of the schema. */
  readonly schema: string;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly progress: Pick<ProgressReporter, "report" | "reportLog">;
  readonly tempFolders: Pick<TempFolders, "create" | "remove">;
  /** What runs the effects of an attempt. */
  readonly effectsOf: (run: EffectRun) => Pick<EffectRunner, "once">;
  /** Some transaction ends the stage when it commits: the job may come again while this attempt still runs. */
  readonly onEndedIn: (jobId: string) => void;
  readonly fanOuts: Pick<FanOuts, "childrenOf">;
  readonly setSignalKey: ClaimStore["setSignalKey"];
  readonly streams: Pick<StreamWriter, "add" | "continue">;
  readonly budgets: Pick<BudgetKeeper, "spend" | "reserve">;
}

/**
 * What the handler of one attempt receives. What most short handlers never use is made when it is first used.
 * Functions are arrows, since handlers take them out of the context: `({ progress }) => progress(50)`.
 */
export class HandlerContext implements StageContext, StreamRun, SpendsRun, EffectRun {
  readonly claim: Claim;
  readonly #workStage: WorkStage;
  readonly #abort: RunAbort;
  readonly #parts: HandlerContextParts;
  #payload: unknown;
  #log: AttemptLog | null = null;
  #tempFolder: Promise<string> | null = null;
  #effects: Pick<EffectRunner, "once"> | null = null;
  #streams: Map<unknown, AttemptStream> | null = null;
  #spends: AttemptSpends | null = null;
  #transaction: StageTransaction | null = null;
  #isOver = false;

  constructor(claim: Claim, workStage: WorkStage, abort: RunAbort, parts: HandlerContextParts) {
    this.claim = claim;
    this.#workStage = workStage;
    this.#abort = abort;
    this.#parts = parts;
    this.#payload = claim.payload;
  }

  get jobId(): string {
    return this.claim.jobId;
  }
  get pipeline(): string {
    return this.#workStage.pipeline.name;
  }
  get stage(): string {
    return this.#workStage.definition.name;
  }
  get payload(): unknown {
    return this.#payload;
  }
  get output(): unknown {
    const { previous } = this.#workStage;
    // A timeout may have led past the stage before.
    return previous === null ? undefined : (this.claim.outputs[previous] ?? null);
  }
  get outputs(): Readonly<Record<string, unknown>> {
    const { branchOf } = this.#workStage.pipeline.settings;
    return branchOf === undefined ? this.claim.outputs : outputsOfBranch(this.claim.outputs, branchOf);
  }
  get attempt(): number {
    return this.claim.attempt;
  }
  get maxAttempts(): number {
    return this.#workStage.definition.options.maxAttempts;
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
    return this.#abort.signal;
  }

  get progress(): StageContext["progress"] {
    return (percent, note, data) => {
      // The transaction that ends the stage has the job's row: other jobs' progress would wait for it.
      if (this.#isEndedIn) return;
      this.#parts.progress.report(this.claim, percent, note ?? null, data ?? null);
    };
  }

  get log(): StageLog {
    if (this.#log === null) {
      const { jobId, pipeline, stage, attempt } = this;
      const about = { jobId, pipeline, stage, attempt };
      this.#log = new AttemptLog(this.#parts.clock, this.#parts.events, about, () => this.#showLog());
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

  get spend(): StageContext["spend"] {
    return (budget, amount) => {
      const closed = this.#closedBecause;
      if (closed !== null) throw new InvalidSpendError(`Job ${this.jobId} cannot spend any more: ${closed}.`);
      this.#spends ??= new AttemptSpends(this, this.#parts.budgets);
      return this.#spends.spend(budget, amount);
    };
  }

  get signalKey(): StageContext["signalKey"] {
    return async (key) => {
      if ((await this.#parts.setSignalKey(this.claim, key)) === "applied") return;
      throw new LeaseLostError(this.jobId, "It was not given the signal key.");
    };
  }

  get stream(): StageContext["stream"] {
    return <Chunk>(name: string) => {
      this.#streams ??= new Map();
      const stream = this.#streams.get(name) ?? new AttemptStream(name, this, this.#parts.streams);
      this.#streams.set(name, stream);
      // What is read back is what was written as JSON; its type is only a promise, as those of outputs are.
      return stream as JobStream<unknown> as JobStream<Chunk>;
    };
  }

  get completeIn(): StageContext["completeIn"] {
    return async (tx, output) => {
      await this.flush();
      return await this.#inTransaction().completeIn(tx, output);
    };
  }

  get failIn(): StageContext["failIn"] {
    return async (tx, reason) => {
      await this.flush();
      return await this.#inTransaction().failIn(tx, reason);
    };
  }

  get assertLease(): StageContext["assertLease"] {
    return (tx) => this.#inTransaction().assertLease(tx);
  }

  // What its streams, spends and effects ask of it.

  get streamsClosedBecause(): string | null {
    return this.#closedBecause;
  }

  get budgets(): readonly Budget[] {
    return this.#workStage.pipeline.settings.budgets ?? [];
  }

  get checkSpend(): EffectRun["checkSpend"] {
    return (budget, amount) => checkSpend(this, budget, amount);
  }

  // What the run asks of it.

  /** Until PostgreSQL has all that was written to streams, and spent; rejects with what it refuses. Null when there is nothing. */
  flush(): Promise<unknown> | null {
    if (this.#streams === null && this.#spends === null) return null;
    const streams = [...(this.#streams?.values() ?? [])];
    return Promise.all([...streams.map((stream) => stream.flush()), this.#spends?.flush()]);
  }

  /** Says whether the handler may run; otherwise the job waits for a budget. */
  reserve(amounts: Readonly<Record<string, number>>): Promise<boolean> {
    return this.#parts.budgets.reserve(this, amounts);
  }

  /** From now on the payload is as the pipeline's schema has made it. */
  setPayload(checked: unknown): void {
    this.#payload = checked;
  }

  get logAsJson(): string | null {
    return this.#log?.asJson() ?? null;
  }

  /** What the handler did in transactions of its own; null when it used none. */
  get transaction(): StageTransaction | null {
    return this.#transaction;
  }

  /** Null when there is none. */
  removeTempFolder(): Promise<void> | null {
    if (this.#tempFolder === null) return null;
    return this.#tempFolder.then((path) => this.#parts.tempFolders.remove(path)).catch(() => {});
  }

  /** The attempt is settled: what a handler left running may log long after it. */
  end(): void {
    this.#isOver = true;
    for (const stream of this.#streams?.values() ?? []) stream.end();
  }

  /** Why nothing can be written any more, as the end of a sentence; null as long as it can. */
  get #closedBecause(): string | null {
    if (this.#isOver) return "the attempt has ended";
    // That transaction has the job's row.
    return this.#isEndedIn ? "a transaction of its handler ends the stage, so write before it" : null;
  }

  get #isEndedIn(): boolean {
    return this.#transaction?.hasEnded === true;
  }

  #showLog(): void {
    // As progress.
    if (this.#isEndedIn || this.#isOver) return;
    this.#parts.progress.reportLog(this.claim, () => this.logAsJson);
  }

  #inTransaction(): StageTransaction {
    const { claim, pipeline, stage } = this;
    this.#transaction ??= new StageTransaction({
      schema: this.#parts.schema,
      claim,
      pipeline,
      stage,
      log: () => this.logAsJson,
      onEnded: () => this.#parts.onEndedIn(claim.jobId),
    });
    return this.#transaction;
  }
}

/** A branch has its parent's outputs, too: each under the pipeline and the stage. */
function outputsOfBranch(
  outputs: Readonly<Record<string, unknown>>,
  parent: string,
): Readonly<Record<string, unknown>> {
  const given = `${parent}/`;
  return Object.fromEntries(
    Object.entries(outputs).map(([name, output]) => [
      name.startsWith(given) ? name.slice(given.length) : name,
      output,
    ]),
  );
}
