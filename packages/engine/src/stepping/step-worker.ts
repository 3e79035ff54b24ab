import { hostname } from "node:os";
import { systemClock } from "../clock.ts";
import type { EngineConfig } from "../engine-config.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import type { Outcome } from "../jobs/outcomes/outcome.ts";
import { isWait } from "../jobs/pipelines/pipeline.ts";
import { jobsPerCall, stageKey, type WorkStage } from "../jobs/pipelines/work-stage.ts";
import { DatabaseUnavailableError } from "../store/connections/database-error.ts";
import type { Stores } from "../store/stores.ts";
import type { Claim, StageRequest } from "../store/working/claim.ts";
import { JobExchange } from "../worker/claiming/job-exchange.ts";
import { JobSettler } from "../worker/claiming/job-settler.ts";
import { EffectRunner, type EffectRunnerParts } from "../worker/running/effect-runner.ts";
import { FanOuts } from "../worker/running/fan-outs.ts";
import type { JobRun, JobRunParts } from "../worker/running/job-run.ts";
import { ProgressReporter } from "../worker/running/progress-reporter.ts";
import { runsOf } from "../worker/running/runs-of.ts";
import { TempFolders } from "../worker/running/temp-folder.ts";
import { TransactionEnds } from "../worker/running/transaction-ends.ts";
import { BudgetKeeper } from "../worker/spending/budget-keeper.ts";
import { StreamWriter } from "../worker/streaming/stream-writer.ts";
import { ScheduleKeeper } from "../worker/upkeep/schedule-keeper.ts";
import { untilEnded } from "./until-ended.ts";

export interface StepWorkerParts {
  readonly config: EngineConfig;
  readonly stages: readonly WorkStage[];
  readonly stores: Pick<
    Stores,
    "claims" | "workers" | "effects" | "batches" | "schedules" | "streams" | "budgets" | "upkeep"
  >;
  readonly events: EngineEvents;
  readonly version: string;
  readonly newWorkerId: () => string;
  /** How long a handler may take by the system's clock; the engine's own may stand still. */
  readonly handlerLimitMs: number;
}

/** One attempt that a step has run. */
export interface Step {
  readonly jobId: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly attempt: number;
  readonly outcome: Outcome["kind"];
}

// Nobody renews this lease, and it is to outlast whatever the clock is moved by.
const leaseMs = 10 * 365 * 24 * 3_600_000;
const fromTheStart = {
  keep: 0,
  places: Array.from({ length: 20 }, () => 0),
  scan: 2,
  dueAfter: null,
} as const;

/**
 * A worker that works only when it is told, one attempt at a time, or one call of a batch handler: no timers, no heartbeat, no
 * wake-ups. For tests.
 */
export class StepWorker {
  readonly #parts: StepWorkerParts;
  readonly #settler: JobSettler;
  readonly #exchange: JobExchange;
  readonly #progress: ProgressReporter;
  readonly #tempFolders: TempFolders;
  readonly #transactionEnds: TransactionEnds;
  readonly #runParts: JobRunParts;
  readonly #keeper: ScheduleKeeper;
  #workerId: string | null = null;
  #nextDueMs: number | null = null;
  #endedWaits = 0;
  /** Attempts that ran in one call with that of an earlier step. */
  #ranTogether: Step[] = [];

  constructor(parts: StepWorkerParts) {
    this.#parts = parts;
    const { config, stores, events } = parts;
    const { clock } = config;
    this.#settler = new JobSettler(events);
    this.#exchange = new JobExchange({
      store: stores.claims,
      settler: this.#settler,
      workerId: () => this.#workerId ?? "",
      onDoubt: () => {},
      onConfirmed: () => {},
    });
    this.#progress = new ProgressReporter({
      ...{ store: stores.claims, clock, events, intervalMs: 0, onLost: () => {} },
    });
    this.#tempFolders = new TempFolders(config.tempRoot);
    this.#keeper = new ScheduleKeeper({
      ...{ pipelines: config.pipelines, store: stores.schedules, clock, events },
      random: () => 0.5,
      onFired: () => {},
    });
    const effectParts: EffectRunnerParts = {
      store: stores.effects,
      clock,
      graceMs: config.stopGraceMs / 2,
      isTrusted: () => true,
      isStillHeld: async () => false,
      onLost: () => {},
    };
    this.#runParts = {
      schema: config.schema,
      clock,
      events,
      progress: this.#progress,
      tempFolders: this.#tempFolders,
      effectsOf: (run) => new EffectRunner(run, effectParts),
      // What is written is written when it is written, wherever the engine's clock stands.
      streams: new StreamWriter({ ...effectParts, store: stores.streams, clock: systemClock }),
      budgets: new BudgetKeeper({ ...effectParts, store: stores.budgets, clock: systemClock }),
      graceMs: effectParts.graceMs,
      onEndedIn: (jobId) => this.#progress.forget(jobId),
      fanOuts: new FanOuts({ store: stores.batches, clock, events, onAdded: () => {} }),
      setSignalKey: (claim, key) => stores.claims.setSignalKey(claim, key),
    };
    this.#transactionEnds = new TransactionEnds({
      store: stores.claims,
      // A transaction ends when it ends, wherever the engine's clock stands.
      clock: systemClock,
      events,
      settle: (run, outcome, durationMs) => this.#add(run, outcome, durationMs),
      onEnded: () => {},
    });
  }

  /** When the next job is due, as the last step saw it, from the database's now on; null: none waits for a time. */
  get nextDueMs(): number | null {
    return this.#nextDueMs;
  }

  /** How many waits the last step has ended by their time, whose jobs have failed or gone on. */
  get endedWaits(): number {
    return this.#endedWaits;
  }

  /**
   * Claims one job that is due, runs it and settles it; ticks of schedules that have come add theirs. Null: there is none. For a
   * batch handler it takes as many as are due, up to its size; the next steps say how the others went.
   */
  async step(): Promise<Step | null> {
    const ranBefore = this.#ranTogether.shift();
    if (ranBefore !== undefined) return ranBefore;
    await this.#enter();
    // The first look only tells a new schedule its first tick, which may be now.
    await this.#keeper.look();
    await this.#keeper.look();
    this.#nextDueMs = await this.#endDueWaits();
    for (const stage of this.#parts.stages) {
      const claims = await this.#claimFrom(stage);
      if (claims.length === 0) continue;
      this.#ranTogether = await this.#run(claims, stage);
      return this.#ranTogether.shift() ?? null;
    }
    return null;
  }

  async stop(): Promise<void> {
    await this.#progress.stop();
    if (this.#workerId !== null) await this.#parts.stores.workers.deregister(this.#workerId);
    this.#workerId = null;
    await this.#tempFolders.removeAll();
  }

  /** Says when the next wait is over; null: none ends by time alone. */
  async #endDueWaits(): Promise<number | null> {
    const { config, stores } = this.#parts;
    this.#endedWaits = 0;
    if (!config.pipelines.some((pipeline) => pipeline.stages.some(isWait))) return null;
    for (;;) {
      const { ended, nextDueMs } = await stores.upkeep.endDueWaits();
      this.#endedWaits += ended;
      if (ended === 0) return nextDueMs;
    }
  }

  async #enter(): Promise<void> {
    if (this.#workerId !== null) return;
    const { config, stages, stores, version, newWorkerId } = this.#parts;
    const workerId = newWorkerId();
    const name = config.workerName ?? `step worker ${process.pid}`;
    const stageKeys = stages.map(stageKey);
    await stores.workers.register({
      ...{ workerId, name, leaseMs, version, stages: stageKeys, host: hostname(), pid: process.pid },
    });
    this.#workerId = workerId;
  }

  async #claimFrom(stage: WorkStage): Promise<readonly Claim[]> {
    const request: StageRequest = { ...fromTheStart, stageId: stage.id, room: jobsPerCall(stage) };
    const exchange = await this.#exchange.send([], [request]);
    if (exchange?.isLost || exchange?.mustPresent) {
      // The clock went further than the lease, somebody swept it, or PostgreSQL crashed: nothing is held between two steps.
      this.#workerId = null;
      await this.#enter();
      return await this.#claimFrom(stage);
    }
    for (const { nextDueMs } of exchange?.looks ?? []) {
      if (nextDueMs !== null) this.#nextDueMs = Math.min(this.#nextDueMs ?? nextDueMs, nextDueMs);
    }
    return exchange?.claims ?? [];
  }

  async #run(claims: readonly Claim[], stage: WorkStage): Promise<Step[]> {
    const { events } = this.#parts;
    const runs = runsOf(claims, stage, this.#runParts);
    for (const run of runs) {
      events.emit("job.claimed", aboutOf(run));
      events.emit("job.started", { ...aboutOf(run), processor: 1 });
    }
    const ended = await untilEnded(runs, {
      clock: this.#parts.config.clock,
      handlerLimitMs: this.#parts.handlerLimitMs,
      passOnCancels: (running) => this.#passOnCancels(running),
    });
    await this.#progress.flush();
    const steps: Step[] = [];
    for (const { run, outcome } of ended) steps.push(await this.#end(run, outcome));
    await this.#settle();
    return steps;
  }

  async #end(run: JobRun, outcome: Outcome): Promise<Step> {
    this.#progress.forget(run.jobId);
    const durationMs = this.#parts.config.clock.monotonicMs() - run.startedMs;
    if (!run.usesTransaction) {
      this.#add(run, outcome, durationMs);
      return { ...aboutOf(run), outcome: outcome.kind };
    }
    const kind = await this.#transactionEnds.end(run, outcome, durationMs);
    return { ...aboutOf(run), outcome: kind ?? outcome.kind };
  }

  #add(run: JobRun, outcome: Outcome, durationMs: number): void {
    this.#settler.add(run.claim, run.workStage, outcome, durationMs, run.logAsJson);
  }

  async #settle(): Promise<void> {
    for (let mayBeRefused = this.#settler.waiting; !this.#settler.isEmpty; mayBeRefused -= 1) {
      try {
        await this.#send();
      } catch (error) {
        // What cannot be stored was put back as a failure, which can.
        if (error instanceof DatabaseUnavailableError || mayBeRefused === 0) throw error;
      }
    }
  }

  async #send(): Promise<void> {
    const attempts = this.#settler.take();
    const exchange = await this.#exchange.send(attempts, []);
    if (exchange !== null) this.#settler.confirm(attempts, exchange.settled);
  }

  async #passOnCancels(running: readonly JobRun[]): Promise<void> {
    const untold = running.filter(({ abortReason }) => abortReason === null);
    if (this.#workerId === null || untold.length === 0) return;
    const cancelled = await this.#parts.stores.claims.cancelRequests(this.#workerId);
    for (const run of untold) {
      if (!cancelled.includes(run.jobId)) continue;
      this.#parts.events.emit("job.cancel_requested", { jobId: run.jobId });
      run.abort("cancel");
    }
  }
}

function aboutOf({ jobId, pipeline, stage, attempt }: JobRun): Omit<Step, "outcome"> {
  return { jobId, pipeline, stage, attempt };
}
