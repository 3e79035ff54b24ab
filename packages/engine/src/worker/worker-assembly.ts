import type { EngineConfig } from "../engine-config.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import type { JobTracing } from "../events/job-tracing.ts";
import { isWait } from "../jobs/pipelines/pipeline.ts";
import type { WorkStage } from "../jobs/pipelines/work-stage.ts";
import { WakeUpListener } from "../store/connections/wake-up-listener.ts";
import type { Stores } from "../store/stores.ts";
import type { ClaimKey } from "../store/working/claim.ts";
import { Later } from "../waiting/later.ts";
import { ClaimPlanner } from "./claiming/claim-planner.ts";
import { HeldClaims } from "./claiming/held-claims.ts";
import { JobExchange } from "./claiming/job-exchange.ts";
import { JobQueue } from "./claiming/job-queue.ts";
import { JobScheduler } from "./claiming/job-scheduler.ts";
import { JobSettler } from "./claiming/job-settler.ts";
import { heartbeatSettings } from "./lease/heartbeat-settings.ts";
import { WorkerLease } from "./lease/worker-lease.ts";
import { type WorkerIdentity, WorkerMembership } from "./lease/worker-membership.ts";
import { AttemptEnds } from "./running/attempt-ends.ts";
import { EffectRunner, type EffectRunnerParts } from "./running/effect-runner.ts";
import { FanOuts } from "./running/fan-outs.ts";
import { JobCoordinator } from "./running/job-coordinator.ts";
import type { JobRunParts } from "./running/job-run.ts";
import { JobStopper } from "./running/job-stopper.ts";
import { ProcessorPool } from "./running/processor-pool.ts";
import { ProgressReporter } from "./running/progress-reporter.ts";
import { runsOf } from "./running/runs-of.ts";
import { TempFolders } from "./running/temp-folder.ts";
import { BudgetKeeper } from "./spending/budget-keeper.ts";
import { StreamWriter } from "./streaming/stream-writer.ts";
import { timings } from "./timing.ts";
import { HealthMonitor } from "./upkeep/health-monitor.ts";
import { ScheduleKeeper } from "./upkeep/schedule-keeper.ts";
import { StalledJobMonitor } from "./upkeep/stalled-job-monitor.ts";
import { WaitKeeper } from "./upkeep/wait-keeper.ts";
import { WorkerReport } from "./upkeep/worker-report.ts";

export interface WorkerParts {
  readonly config: EngineConfig;
  readonly stages: readonly WorkStage[];
  readonly stores: Pick<Stores, "claims" | "workers" | "effects" | "batches" | "streams" | "budgets">;
  /** For what it does beside its jobs, on another connection than theirs. */
  readonly upkeepStores: Pick<Stores, "upkeep" | "schedules">;
  readonly events: EngineEvents;
  readonly version: string;
  readonly tracing?: JobTracing | null;
  readonly newWorkerId: () => string;
  /** So many handlers did not stop that this process should be restarted. */
  readonly onSpent: (sentence: string) => void;
}

/** Parts that are called by parts they need themselves. */
interface CalledBack {
  readonly scheduler: JobScheduler;
  readonly stopper: JobStopper;
  readonly attemptEnds: AttemptEnds;
  readonly membership: WorkerMembership;
  readonly monitor: StalledJobMonitor;
}

export type WorkerAssembly = ReturnType<typeof assembleWorker>;

/** Builds the parts of one worker and connects them. Nothing is started yet. */
export function assembleWorker(parts: WorkerParts) {
  const { config, stages, stores, events } = parts;
  const { clock } = config;
  const { random } = Math;
  const timing = timings[config.timing];
  const onError = (error: unknown) => events.emitError(error);
  const identity: WorkerIdentity = { workerId: "" };
  const workerId = () => identity.workerId;
  const later = new Later<CalledBack>();

  const queue = new JobQueue(
    stages.map((stage) => stage.id),
    config.queueLimit,
  );
  const settler = new JobSettler(events);
  const held = new HeldClaims({ store: stores.claims, workerId });
  const tempFolders = new TempFolders(config.tempRoot);
  const pool = new ProcessorPool({
    stages,
    clock,
    events,
    stopGraceMs: config.stopGraceMs,
    onEnded: (run, outcome) => later.value.attemptEnds.add(run, outcome),
  });
  const { listenTarget } = config;
  const listener =
    listenTarget === null
      ? null
      : new WakeUpListener({
          target: listenTarget,
          schema: config.schema,
          clock,
          onWakeUp: () => later.value.scheduler.wakeUp(),
          onCancel: () => void later.value.stopper.askForCancels(),
        });
  const report = new WorkerReport({ config, stages, queue, pool, held, listener });
  const lease = new WorkerLease({
    heartbeat: heartbeatSettings(config),
    leaseMarginMs: config.leaseMarginMs,
    clock,
    report: () => report.asJson(),
    longestTimeoutMs: () => report.longestTimeoutMs(),
    isHolding: () => !held.isEmpty,
    onCancel: (jobIds) => later.value.stopper.cancel(jobIds),
    onHeld: (heldThere) => later.value.stopper.giveBackUnknown(heldThere),
    onUpkeepDue: () => later.value.monitor.wake(),
    onLost: () => later.value.membership.lost(),
    onUntrusted: () => later.value.stopper.loseAll(),
    onRenewed: () => later.value.scheduler.databaseAnswered(),
    onTrusted: () => later.value.scheduler.lookNow(),
    onRenewedLate: () => pool.excuseUnstoppable(),
    onError,
  });

  const progress = new ProgressReporter({
    store: stores.claims,
    clock,
    events,
    intervalMs: config.progressIntervalMs,
    onLost: (jobIds) => void later.value.stopper.loseUnlessHeld(jobIds),
  });
  const underClaims = {
    clock,
    // Before a handler counts as one that does not stop: it is the database that holds it up.
    graceMs: config.stopGraceMs / 2,
    isStillHeld: async ({ jobId, token }: ClaimKey) =>
      held.has(jobId, token) && (await held.lostAmong([jobId])).length === 0,
    onLost: (claim: ClaimKey) => later.value.stopper.loseClaim(claim),
  };
  const effectParts: EffectRunnerParts = {
    ...underClaims,
    store: stores.effects,
    isTrusted: () => lease.isTrusted,
  };
  const streams = new StreamWriter({ ...underClaims, store: stores.streams });
  const onJobsAdded = () => later.value.scheduler.lookNow();
  const runParts: JobRunParts = {
    schema: config.schema,
    clock,
    events,
    progress,
    tempFolders,
    effectsOf: (run) => new EffectRunner(run, effectParts),
    streams,
    budgets: new BudgetKeeper({ ...underClaims, store: stores.budgets }),
    graceMs: underClaims.graceMs,
    tracing: parts.tracing ?? null,
    onEndedIn: (jobId) => later.value.attemptEnds.forget(jobId),
    fanOuts: new FanOuts({ store: stores.batches, clock, events, onAdded: onJobsAdded }),
    setSignalKey: (claim, key) => stores.claims.setSignalKey(claim, key),
  };
  const coordinator = new JobCoordinator({
    stages,
    queue,
    pool,
    newRuns: (claims, stage) => runsOf(claims, stage, runParts),
    clock,
    assignIntervalMs: config.assignIntervalMs,
    assignmentsPerCycle: config.assignmentsPerCycle,
    onError,
  });

  const planner = new ClaimPlanner({
    stages,
    queue,
    pool,
    settler,
    claimBatchSize: config.claimBatchSize,
    queueLimit: config.queueLimit,
    jobsAtOnce: config.jobsAtOnce,
    takesWholeBatches: timing.takesWholeBatches,
    nowMs: clock.monotonicMs(),
  });
  const exchange = new JobExchange({
    store: stores.claims,
    settler,
    workerId,
    onDoubt: () => lease.markInDoubt(),
    onConfirmed: ({ claim }) => held.remove(claim),
  });
  const waking = timing.newWaking({
    store: stores.workers,
    clock,
    workerId,
    isHearing: () => listener?.isListening ?? false,
    hasRoom: (stageId, nowMs) => planner.hasRoom(stageId, nowMs),
    pollIntervalMs: config.pollIntervalMs,
    random,
  });
  const hasWaits = config.pipelines.some((pipeline) => pipeline.stages.some(isWait));
  const waitKeeper = hasWaits
    ? new WaitKeeper({ store: parts.upkeepStores.upkeep, clock, events, random, onEnded: onJobsAdded })
    : null;
  const scheduler = new JobScheduler({
    planner,
    exchange,
    waking,
    held,
    queue,
    pool,
    settler,
    coordinator,
    lease,
    clock,
    events,
    random,
    onLost: () => later.value.membership.lost(),
    onClaimsLost: (jobIds) => later.value.stopper.lose(jobIds),
    onNothingFound: () => later.value.membership.listen(),
    onWaitBegan: waitKeeper === null ? null : (ms) => waitKeeper.waitBegan(ms),
  });

  const stopper = new JobStopper({
    ...{ store: stores.claims, events, held, queue, pool, scheduler, lease, workerId },
  });
  const attemptEnds = new AttemptEnds({
    store: stores.claims,
    clock,
    events,
    queue,
    progress,
    settler,
    held,
    scheduler,
    coordinator,
    pool,
    lease,
    onSpent: parts.onSpent,
  });
  const membership = new WorkerMembership({
    config,
    stages,
    store: stores.workers,
    events,
    version: parts.version,
    newWorkerId: parts.newWorkerId,
    identity,
    lease,
    listener,
    onEntered: () => pool.excuseUnstoppable(),
    onLost: () => stopper.loseAll(),
    onEnteredAgain: () => scheduler.workerChanged(),
  });
  const keeper = new ScheduleKeeper({
    pipelines: config.pipelines,
    store: parts.upkeepStores.schedules,
    clock,
    events,
    random,
    onFired: onJobsAdded,
  });
  const monitor = new StalledJobMonitor({
    store: parts.upkeepStores.upkeep,
    clock,
    events,
    workerId,
    sweepIntervalMs: config.sweepIntervalMs,
    cancelGraceMs: config.cancelGraceMs,
    keepCompletedDays: config.keepCompletedDays,
    keepFailedDays: config.keepFailedDays,
    keepEventsDays: config.keepEventsDays,
    keepActionsDays: config.keepActionsDays,
    onSleepers: (sleepers) => {
      waking.sleepers = sleepers;
      keeper.sharers = sleepers;
    },
    onFewSleepers: () => {
      scheduler.lookNow();
      keeper.lookNow();
    },
    random,
  });
  const health = new HealthMonitor({
    clock,
    events,
    healthIntervalMs: config.healthIntervalMs,
    stuckAfterMs: config.stuckAfterMs,
    workerId,
    stages: () => report.stageStates(),
    replaceErrors: () => {
      pool.replaceErrors();
      for (const stage of stages) coordinator.notice(stage.id);
      scheduler.wake();
    },
  });

  later.is({ scheduler, stopper, attemptEnds, membership, monitor });
  return {
    workerId,
    pool,
    listener,
    lease,
    progress,
    streams,
    tempFolders,
    coordinator,
    scheduler,
    attemptEnds,
    membership,
    keeper,
    waitKeeper,
    monitor,
    health,
  };
}
