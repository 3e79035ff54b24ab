export {
  type BreakingMigration,
  BreakingMigrationError,
  type ConnectionConfig,
  type ConnectionHost,
  type ConnectionOptions,
  type ConnectionTls,
  type Migrated,
  MigrateError,
  MigrationBlockedError,
  MigrationForbiddenError,
  type MigrationPlan,
  migrate,
  OtherMigrationsError,
  type PasswordFunction,
  type PasswordRequest,
  type PgPool,
  SchemaTooNewError,
  type TargetSessionAttrs,
} from "@lockstep/database";
export type { AddItem } from "./client/adding/job-adder.ts";
export { HistoryFilterError } from "./client/reading/checked-history.ts";
export type { EventsPart, Reader, ReaderOptions, StreamRequest } from "./client/reading/reader.ts";
export {
  InvalidJobIdError,
  JobCancelledError,
  JobFailedError,
  JobUnknownError,
  ResultTimeoutError,
  WaitingStoppedError,
} from "./client/results/result-errors.ts";
export type { Schedule } from "./client/schedules/schedule-book.ts";
export type { CheckOptions, UnrunnableJobs } from "./client/schema/deploy-check.ts";
export type { Recorded } from "./client/steering/action-recorder.ts";
export type { Approval, ApprovalLinkOptions, Decision } from "./client/steering/approvals.ts";
export type { BulkActions } from "./client/steering/bulk-actions.ts";
export type { BulkRunner } from "./client/steering/bulk-runner.ts";
export { BulkActionError } from "./client/steering/checked-bulk.ts";
export type { ActNote, RecordedWrites } from "./client/steering/recorded-writes.ts";
export type { Clock } from "./clock.ts";
export { createEngine, type Engine } from "./engine.ts";
export { ConfigError, type EngineOptions, engineSettings } from "./engine-config.ts";
export type {
  AnyEngineEventListener,
  EngineEventListener,
  EngineEventMap,
  EngineEventName,
} from "./events/engine-events.ts";
export type { Logger } from "./events/event-logger.ts";
export type { HealthReport, StageHealth, StuckProcessor } from "./events/health-report.ts";
export { stderrLogger } from "./events/stderr-logger.ts";
export type { Telemetry } from "./events/telemetry.ts";
export { type Act, ActError } from "./jobs/adding/act.ts";
export { AddOptionError, type AddOptions, type TransactionOption } from "./jobs/adding/add-options.ts";
export type { AddBatchOptions, AddedBatch, Batch, FollowingJob } from "./jobs/adding/batch.ts";
export type { Dedup } from "./jobs/adding/dedup.ts";
export {
  type ChildItem,
  type FanOut,
  type FanOutOptions,
  fanOut,
  type OnFailure,
  type RunChildOptions,
  runChild,
} from "./jobs/adding/fan-out.ts";
export { IdempotencyKeyInUseError, IdempotencyKeyReusedError } from "./jobs/adding/idempotency-errors.ts";
export {
  type SignalAnswer,
  SignalError,
  type SignalledByKey,
  type SignalOptions,
} from "./jobs/adding/signal.ts";
export { type Budget, type BudgetOptions, type BudgetPer, budget } from "./jobs/budgets/budget.ts";
export { InvalidSpendError } from "./jobs/budgets/invalid-spend-error.ts";
export type { Estimate, EstimateContext, SpendsOption } from "./jobs/budgets/spends.ts";
export type { Effect, EffectState } from "./jobs/outcomes/effect.ts";
export { EffectInDoubtError, InvalidEffectError } from "./jobs/outcomes/effect-errors.ts";
export type { Children, JobOutcome } from "./jobs/outcomes/job-outcome.ts";
export { LeaseLostError } from "./jobs/outcomes/lease-lost-error.ts";
export type { EffectCall, EffectFunction, Once, OnceOptions, UnknownPolicy } from "./jobs/outcomes/once.ts";
export {
  type Finish,
  finish,
  type GiveUp,
  giveUp,
  PermanentError,
  RetryAfter,
  type RetryLater,
  retryLater,
  type Snooze,
  snooze,
} from "./jobs/outcomes/outcome.ts";
export { UnknownOutcomeError } from "./jobs/outcomes/unknown-outcome-error.ts";
export type { BatchAnswers, BatchContext, Batching, BatchOption } from "./jobs/pipelines/batch-option.ts";
export type { ParallelOptions } from "./jobs/pipelines/branches.ts";
export { DefinitionError } from "./jobs/pipelines/definition-error.ts";
export {
  type AnyPipeline,
  definePipeline,
  type Pipeline,
  type PipelineInput,
  type PipelinePayload,
  type PipelineResult,
  type PipelineSignals,
  type WhenContext,
  type WhenOption,
} from "./jobs/pipelines/pipeline.ts";
export type { Backoff, RetryFunction, RetryPolicy } from "./jobs/pipelines/retry-policy.ts";
export type { StageContext, StageLog } from "./jobs/pipelines/stage-context.ts";
export type { StageOptions } from "./jobs/pipelines/stage-options.ts";
export type { SleepOptions, WaitOptions } from "./jobs/pipelines/wait-options.ts";
export { ApprovalError } from "./jobs/reading/approval-token.ts";
export type { Branch } from "./jobs/reading/branch.ts";
export type { ErrorHistory, ErrorHistoryFilter } from "./jobs/reading/error-history.ts";
export type { ErrorFilter, ErrorKind } from "./jobs/reading/error-kind.ts";
export { parseJobFilter } from "./jobs/reading/filter-grammar.ts";
export type { Finding } from "./jobs/reading/finding.ts";
export type {
  Added,
  Attempt,
  AttemptLogLine,
  AttemptOutcome,
  ErrorCause,
  Job,
  JobError,
  JobId,
  JobProgress,
  JobStatus,
  JobSummary,
  JobWait,
  LogLevel,
  PastWait,
} from "./jobs/reading/job.ts";
export type {
  EventsReset,
  JobEvent,
  JobEventDetail,
  JobEventKind,
  LoggedEvent,
} from "./jobs/reading/job-event.ts";
export { type JobFilter, JobFilterError } from "./jobs/reading/job-filter.ts";
export type { JobCount, JobPage, JobRowNow, ListedJob, PageOptions } from "./jobs/reading/job-page.ts";
export type { JobSort } from "./jobs/reading/job-sort.ts";
export { CursorError } from "./jobs/reading/list-cursor.ts";
export { OwnerTokenError, type TokenOptions, type TokenScope } from "./jobs/reading/owner-token.ts";
export { ReadEventsOptionError, type ReadEventsOptions } from "./jobs/reading/read-events-options.ts";
export { ScheduleError } from "./jobs/schedules/schedule-error.ts";
export type { ScheduleOptions } from "./jobs/schedules/schedule-options.ts";
export type { MissedPolicy } from "./jobs/schedules/schedule-plan.ts";
export type { ScheduleTick } from "./jobs/schedules/tick-of.ts";
export type { JobStream } from "./jobs/streams/job-stream.ts";
export { ReadStreamOptionError, type ReadStreamOptions } from "./jobs/streams/read-stream-options.ts";
export type {
  StreamChunk,
  StreamEntry,
  StreamInfo,
  StreamPart,
  StreamRewind,
} from "./jobs/streams/stream-entry.ts";
export { InvalidStreamError, StreamTooFastError } from "./jobs/streams/stream-errors.ts";
export { InvalidOutputError, InvalidPayloadError, PayloadTooLargeError } from "./jobs/values/json-value.ts";
export type { Jsonify, NotJson } from "./jobs/values/jsonify.ts";
export type { Step, StepWorker } from "./stepping/step-worker.ts";
export { HandlerStuckError } from "./stepping/step-worker-error.ts";
export {
  DatabaseUnavailableError,
  RefusedError,
  SchemaMissingError,
  StatementTimeoutError,
} from "./store/connections/database-error.ts";
export type { DatabaseHealth } from "./store/reading/database-health.ts";
export type { EventPage } from "./store/reading/event-store.ts";
export type { ListFilter } from "./store/reading/list-store.ts";
export type { PipelineInfo, StageInfo } from "./store/reading/pipeline-info.ts";
export type { StageCount } from "./store/reading/queue-store.ts";
export type { Reason, ReasonDetail } from "./store/reading/reason.ts";
export type { RecoveredJobs } from "./store/reading/recovered-jobs.ts";
export type { Kept, Retention } from "./store/reading/retention.ts";
export type { Violation } from "./store/reading/schema-store.ts";
export type { HistoryFilter, StageCounts, StageHistory, StageWait } from "./store/reading/stage-numbers.ts";
export type { WaitFilter, WaitingJob } from "./store/reading/wait-store.ts";
export type { WorkerInfo } from "./store/reading/worker-info.ts";
export type { ActionFilter, RecordedAction } from "./store/steering/action-store.ts";
export type {
  BudgetInfo,
  BudgetTotals,
  BudgetUsage,
  BudgetUsageFilter,
  FullScope,
} from "./store/steering/budget-limits.ts";
export type {
  AbortAnswer,
  BulkAction,
  BulkCount,
  BulkFailure,
  BulkRequest,
} from "./store/steering/bulk-store.ts";
export type { ScheduleFilter, SetAnswer, StoredSchedule } from "./store/steering/schedule-store.ts";
export type {
  CancelAnswer,
  ForkAnswer,
  Forked,
  Retried,
  RetryAnswer,
} from "./store/steering/steering-store.ts";
export { TransactionError } from "./store/transactions/transaction-error.ts";
export type { StreamPage } from "./store/working/stream-store.ts";
