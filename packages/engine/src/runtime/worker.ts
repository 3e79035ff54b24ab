import { hostname } from "node:os";
import type { EngineConfig } from "../engine-config.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import type { HealthReport } from "../events/health-report.ts";
import type { Outcome } from "../jobs/outcome.ts";
import { DatabaseUnavailableError, RefusedError } from "../store/database-error.ts";
import type { JobStore } from "../store/job-store.ts";
import type { ScheduleStore } from "../store/schedule-store.ts";
import { WakeUpListener } from "../store/wake-up-listener.ts";
import { EffectRunner, type EffectRunnerParts } from "./effect-runner.ts";
import { FanOuts } from "./fan-outs.ts";
import { HealthMonitor, type StageState } from "./health-monitor.ts";
import { heartbeatSettings } from "./heartbeat-settings.ts";
import { JobCoordinator } from "./job-coordinator.ts";
import { JobQueue } from "./job-queue.ts";
import { JobRun, type JobRunParts } from "./job-run.ts";
import { JobScheduler } from "./job-scheduler.ts";
import { JobSettler } from "./job-settler.ts";
import type { JobTracing } from "./job-tracing.ts";
import { ProcessorPool } from "./processor-pool.ts";
import { ProgressReporter } from "./progress-reporter.ts";
import { ScheduleKeeper } from "./schedule-keeper.ts";
import { StalledJobMonitor } from "./stalled-job-monitor.ts";
import { TempFolders } from "./temp-folder.ts";
import { TransactionEnds } from "./transaction-ends.ts";
import { stageKey, type WorkStage } from "./work-stage.ts";
import { WorkerLease } from "./worker-lease.ts";

export interface WorkerParts {
  readonly config: EngineConfig;
  readonly stages: readonly WorkStage[];
  readonly store: JobStore;
  /** For what it does beside its jobs, on another connection than theirs. */
  readonly upkeepStore: JobStore;
  readonly schedules: ScheduleStore;
  readonly events: EngineEvents;
  readonly version: string;
  readonly tracing?: JobTracing | null;
  readonly newWorkerId: () => string;
  /** So many handlers would not stop that this process had better be started anew. */
  readonly onSpent: (sentence: string) => void;
}

const upkeepStartsAfterMs = 1_000;
const settleLimitMs = 4_000;
const registerAgainMs = 1_000;
const lostCode = "LS004";
const unstoppableLimit = 3;

/** The moving parts of one worker, put together; started and stopped in order. */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #queue: JobQueue;
  readonly #settler: JobSettler;
  readonly #pool: ProcessorPool;
  readonly #coordinator: JobCoordinator;
  readonly #scheduler: JobScheduler;
  readonly #lease: WorkerLease;
  readonly #listener: WakeUpListener | null;
  readonly #monitor: StalledJobMonitor;
  readonly #keeper: ScheduleKeeper;
  readonly #health: HealthMonitor;
  readonly #progress: ProgressReporter;
  readonly #tempFolders: TempFolders;
  readonly #transactionEnds: TransactionEnds;
  readonly #stopping = new AbortController();
  #workerId = "";
  #isStarted = false;
  #isEntering = false;
  /** It stops, or has said that it should. */
  #isLeaving = false;
  #entering: Promise<void> = Promise.resolve();
  readonly #abortDrain = new AbortController();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { config, stages, store, events } = parts;
    const { clock } = config;
    const onError = (error: unknown) => events.emitError(error);
    this.#queue = new JobQueue(
      stages.map((stage) => stage.id),
      config.queueLimit,
    );
    this.#settler = new JobSettler(events);
    this.#tempFolders = new TempFolders(config.tempRoot);
    this.#progress = new ProgressReporter({
      store,
      clock,
      events,
      intervalMs: config.progressIntervalMs,
      onLost: (jobIds) => this.#abort(jobIds, "lease_lost"),
    });
    this.#pool = new ProcessorPool({
      stages,
      clock,
      events,
      stopGraceMs: config.stopGraceMs,
      onEnded: (run, outcome) => this.#ended(run, outcome),
    });
    const effectParts: EffectRunnerParts = {
      store: store.effects,
      clock,
      // Sooner than a handler is given up for not stopping: it is the database that keeps it.
      graceMs: config.stopGraceMs / 2,
      isTrusted: () => this.#lease.isTrusted,
      onLost: (jobIds) => this.#abort(jobIds, "lease_lost"),
    };
    const runParts: JobRunParts = {
      clock,
      events,
      progress: this.#progress,
      tempFolders: this.#tempFolders,
      effectsOf: (run) => new EffectRunner(run, effectParts),
      tracing: parts.tracing ?? null,
      onEndedIn: (jobId) => this.#forget(jobId),
      fanOuts: new FanOuts({ store: store.batches, clock, events, onAdded: () => this.lookNow() }),
    };
    this.#transactionEnds = new TransactionEnds({
      store,
      clock,
      events,
      settle: (run, outcome, durationMs) => {
        this.#settle(run, outcome, durationMs);
        this.#scheduler.wake();
      },
      onEnded: (run) => this.#scheduler.endedElsewhere(run.claim),
    });
    this.#coordinator = new JobCoordinator({
      stages,
      queue: this.#queue,
      pool: this.#pool,
      newRun: (claim, stage) => new JobRun(claim, stage, runParts),
      clock,
      assignIntervalMs: config.assignIntervalMs,
      assignmentsPerCycle: config.assignmentsPerCycle,
      onError,
    });
    this.#lease = new WorkerLease({
      heartbeat: heartbeatSettings(config),
      leaseMarginMs: config.leaseMarginMs,
      clock,
      report: () => this.#selfReport(),
      longestTimeoutMs: () => this.#longestTimeoutMs(),
      isHolding: () => this.#scheduler.isHolding,
      onCancel: (jobIds) => this.#cancel(jobIds),
      onHeld: (held) => this.#giveBackUnknown(held),
      onUpkeepDue: () => this.#monitor.wake(),
      onLost: () => this.#lost(),
      onUntrusted: () => this.#letGo(),
      onTrusted: () => this.#scheduler.lookNow(),
      onError,
    });
    this.#scheduler = new JobScheduler({
      stages,
      store,
      queue: this.#queue,
      pool: this.#pool,
      settler: this.#settler,
      coordinator: this.#coordinator,
      clock,
      events,
      workerId: () => this.#workerId,
      isTrusted: () => this.#lease.isTrusted,
      onLost: () => this.#lost(),
      onDoubt: () => this.#lease.markInDoubt(),
      onClaimed: () => this.#lease.taken(),
      pollIntervalMs: config.pollIntervalMs,
      claimBatchSize: config.claimBatchSize,
      queueLimit: config.queueLimit,
      jobsAtOnce: config.jobsAtOnce,
      isHearing: () => this.#listener?.isListening ?? false,
      onNothingFound: () => this.#listen(),
      isWoken: config.timing !== "classic",
      random: Math.random,
    });
    const listenUrl = config.listenUrl ?? (config.transactionPooler ? null : config.databaseUrl);
    this.#listener =
      listenUrl === null
        ? null
        : new WakeUpListener({
            url: listenUrl,
            clock,
            onWakeUp: () => this.#scheduler.wakeUp(),
            onCancel: () => void this.#askForCancels(),
          });
    this.#monitor = new StalledJobMonitor({
      store: parts.upkeepStore,
      clock,
      events,
      workerId: () => this.#workerId,
      sweepIntervalMs: config.sweepIntervalMs,
      cancelGraceMs: config.cancelGraceMs,
      keepCompletedDays: config.keepCompletedDays,
      keepFailedDays: config.keepFailedDays,
      keepEventsDays: config.keepEventsDays,
      keepActionsDays: config.keepActionsDays,
      onSleepers: (sleepers) => {
        this.#scheduler.sleepers = sleepers;
        this.#keeper.sharers = sleepers;
      },
      onFewSleepers: () => {
        this.#scheduler.lookNow();
        this.#keeper.lookNow();
      },
      random: Math.random,
    });
    this.#keeper = new ScheduleKeeper({
      pipelines: config.pipelines,
      store: parts.schedules,
      clock,
      events,
      random: Math.random,
      onFired: () => this.#scheduler.lookNow(),
    });
    this.#health = new HealthMonitor({
      clock,
      events,
      healthIntervalMs: config.healthIntervalMs,
      stuckAfterMs: config.stuckAfterMs,
      workerId: () => this.#workerId,
      stages: () => this.#stageStates(),
      replaceErrors: () => {
        this.#pool.replaceErrors();
        for (const stage of stages) this.#coordinator.notice(stage.id);
        this.#scheduler.wake();
      },
    });
  }

  get workerId(): string {
    return this.#workerId;
  }

  /** False: the signal aborted while the database was away, and nothing has begun. */
  async start(signal: AbortSignal): Promise<boolean> {
    if (!(await this.#enter(signal))) return false;
    this.#isStarted = true;
    this.#pool.start();
    this.#coordinator.start();
    this.#scheduler.start();
    this.#health.start();
    void this.#startUpkeep();
    return true;
  }

  /** Jobs were added by this very process: no need to wait for the wake-up. */
  lookNow(): void {
    if (this.#isStarted) this.#scheduler.lookNow();
  }

  /** A schedule was set by this very process. */
  lookAtSchedules(): void {
    this.#keeper.lookNow();
  }

  health(): HealthReport {
    return this.#health.report();
  }

  /** How long a wake-up takes to be heard; null while nobody listens. */
  async notifyLagMs(): Promise<number | null> {
    const { store } = this.#parts;
    return (await this.#listener?.lagMs((channel, payload) => store.notify(channel, payload))) ?? null;
  }

  /** In the order that loses nothing: claims end, waiting jobs go back, running ones end, then the lease. */
  async stop(): Promise<void> {
    const { config } = this.#parts;
    this.#isLeaving = true;
    this.#scheduler.stopClaiming();
    await this.#coordinator.stop();
    this.#scheduler.giveBackWaiting();
    await this.#idleWithin(config.drainTimeoutMs, this.#abortDrain.signal);
    this.#pool.abortAll("shutdown");
    await this.#idleWithin(config.stopGraceMs);
    this.#pool.abandonAll();
    await this.#progress.stop();
    await this.#transactionEnds.stop(settleLimitMs);
    await this.#scheduler.stop(settleLimitMs);
    this.#stopping.abort();
    await Promise.all([this.#pool.stop(), this.#monitor.stop(), this.#keeper.stop(), this.#health.stop()]);
    // A lost worker that is just coming back listens again when it has entered.
    await this.#entering;
    await Promise.all([this.#listener?.stop(), this.#lease.stop()]);
    await this.#parts.store.deregisterWorker(this.#workerId).catch(() => {});
    await this.#tempFolders.removeAll();
  }

  /** Cuts the drain of a stop() under way short. */
  abort(): void {
    this.#abortDrain.abort();
  }

  /** A worker that starts looks for jobs first: what all else plans and connects for meanwhile would hold that up. */
  async #startUpkeep(): Promise<void> {
    const { signal } = this.#stopping;
    await this.#parts.config.clock.sleep(upkeepStartsAfterMs, signal);
    if (signal.aborted) return;
    this.#listen();
    this.#monitor.start();
    this.#keeper.start();
  }

  /** From when nothing is left to be found by looking, or somebody may want to cancel what runs. */
  #listen(): void {
    if (!this.#isEntering) this.#listener?.start(this.#workerId);
  }

  /** Registers under a new id and begins its lease; goes on trying while the database is away. */
  async #enter(signal: AbortSignal): Promise<boolean> {
    const { config, store, events, stages, version, newWorkerId } = this.#parts;
    let workerId = newWorkerId();
    const name = config.workerName ?? `${hostname()}:${process.pid}`;
    for (;;) {
      const sentAtMs = config.clock.monotonicMs();
      try {
        await store.registerWorker({
          workerId,
          name,
          leaseMs: config.leaseMs,
          stages: stages.map(stageKey),
          host: hostname(),
          pid: process.pid,
          version,
        });
        this.#workerId = workerId;
        this.#lease.start(workerId, sentAtMs);
        events.emit("worker.registered", { workerId, name });
        return true;
      } catch (error) {
        if (error instanceof RefusedError && error.code === lostCode) {
          // It was entered by a call whose reply was lost, and its lease has ended since.
          workerId = newWorkerId();
          continue;
        }
        if (!(error instanceof DatabaseUnavailableError) || error.isFinal) throw error;
        await config.clock.sleep(registerAgainMs, signal);
        if (signal.aborted) return false;
      }
    }
  }

  /** Others run our jobs now: stop ours, and begin again as somebody new. */
  #lost(): void {
    // The heartbeat and the claim may both be told.
    if (this.#isEntering || this.#stopping.signal.aborted) return;
    this.#isEntering = true;
    const { events } = this.#parts;
    events.emit("worker.lost", { workerId: this.#workerId });
    this.#letGo();
    this.#entering = this.#enterAgain().finally(() => {
      this.#isEntering = false;
    });
  }

  async #enterAgain(): Promise<void> {
    // Without a lease nothing is trusted, and so nothing is claimed until the new one holds.
    await Promise.all([this.#lease.stop(), this.#listener?.stop()]);
    const { config, events } = this.#parts;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if (!(await this.#enter(signal))) return;
        this.#listener?.start(this.#workerId);
        this.#scheduler.workerChanged();
        return;
      } catch (error) {
        // Whatever it is: one that gave up here would live on and never work again.
        events.emitError(error);
        await config.clock.sleep(registerAgainMs, signal);
      }
    }
  }

  #letGo(): void {
    this.#pool.abortAll("lease_lost");
    this.#scheduler.giveBackWaiting();
  }

  #ended(run: JobRun, outcome: Outcome): void {
    const { config, onSpent } = this.#parts;
    const { claim, workStage } = run;
    // Forgotten already when a transaction ended its stage: what is known by its id now may be its next try.
    if (!run.isEndedIn) this.#forget(claim.jobId);
    const durationMs = config.clock.monotonicMs() - run.startedMs;
    if (run.usesTransaction) this.#transactionEnds.add(run, outcome, durationMs);
    else this.#settle(run, outcome, durationMs);
    this.#scheduler.ended(workStage.id, durationMs);
    this.#coordinator.notice(workStage.id);
    if (this.#pool.unstoppable < unstoppableLimit || this.#isLeaving) return;
    this.#isLeaving = true;
    onSpent(
      `${unstoppableLimit} handlers did not stop when they were told to, the last in ${stageKey(workStage)}.`,
    );
  }

  #forget(jobId: string): void {
    this.#queue.end(jobId);
    this.#progress.forget(jobId);
  }

  #settle(run: JobRun, outcome: Outcome, durationMs: number): void {
    run.endSpan(outcome);
    this.#settler.settle(run.claim, run.workStage, outcome, durationMs, run.logAsJson);
  }

  #cancel(jobIds: readonly string[]): void {
    for (const jobId of jobIds) {
      if (this.#pool.abort(jobId, "cancel")) this.#parts.events.emit("job.cancel_requested", { jobId });
    }
    // One that waits for a processor here ends when it is given back.
    if (jobIds.some((jobId) => this.#queue.isWaiting(jobId))) this.#scheduler.giveBackWaiting();
  }

  #abort(jobIds: readonly string[], reason: "lease_lost"): void {
    for (const jobId of jobIds) this.#pool.abort(jobId, reason);
  }

  async #askForCancels(): Promise<void> {
    // One that has just begun to listen asks, too, and has often nothing yet.
    if (!this.#scheduler.isHolding) return;
    try {
      this.#cancel(await this.#parts.store.cancelRequests(this.#workerId));
    } catch {
      // The next heartbeat brings the same answer.
    }
  }

  /** Claims whose reply was lost: held by us in the database, unknown to us here. */
  #giveBackUnknown(held: readonly { id: string; token: string }[]): void {
    const unknown = held.filter(({ id, token }) => !this.#scheduler.holds(id, token));
    if (unknown.length === 0) return;
    const settlements = unknown.map(({ id, token }) => ({
      jobId: id,
      token,
      address: null,
      outcome: "release" as const,
      value: null,
      delayMs: null,
      timedOut: false,
      keepIn: null,
      log: null,
    }));
    this.#parts.store.settleAndClaim(this.#workerId, settlements, []).catch(() => this.#lease.markInDoubt());
  }

  async #idleWithin(limitMs: number, cut?: AbortSignal): Promise<void> {
    const over = new AbortController();
    const end = () => over.abort();
    cut?.addEventListener("abort", end);
    if (cut?.aborted) end();
    void this.#pool.whenIdle().then(end);
    await this.#parts.config.clock.sleep(limitMs, over.signal);
    cut?.removeEventListener("abort", end);
  }

  #stageStates(): StageState[] {
    const nowMs = this.#parts.config.clock.monotonicMs();
    return this.#parts.stages.map((stage) => ({
      pipeline: stage.pipeline.name,
      stage: stage.definition.name,
      waiting: this.#queue.waiting(stage.id),
      processors: this.#pool.processors(stage.id).map(({ number, state, run }) => ({
        number,
        state,
        jobId: run?.jobId ?? null,
        busyForMs: run === null ? 0 : nowMs - run.startedMs,
      })),
    }));
  }

  /** What is held and has not begun may begin, and block this thread, before anybody looks again. */
  #longestTimeoutMs(): number | null {
    if (this.#pool.busy > 0) return this.#pool.longestTimeoutMs();
    if (!this.#scheduler.isHolding) return 0;
    const timeoutsMs = this.#parts.stages.map(({ definition }) => definition.options.timeoutMs);
    return timeoutsMs.includes(null) ? null : Math.max(...timeoutsMs.map((ms) => ms ?? 0));
  }

  #selfReport() {
    const stages = this.#stageStates().map(({ pipeline, stage, waiting, processors }) => {
      const count = (state: string) => processors.filter((processor) => processor.state === state).length;
      return { pipeline, stage, waiting, idle: count("idle"), busy: count("busy"), error: count("error") };
    });
    return {
      memoryBytes: process.memoryUsage.rss(),
      isListening: this.#listener?.isListening ?? false,
      stages,
    };
  }
}
