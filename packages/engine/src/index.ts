export { type Migrated, type MigrationPlan, migrate, SchemaTooNewError } from "@lockstep/database";
export { type Clock, systemClock } from "./clock.ts";
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
export { redactText, secretKeyPattern } from "./events/redact.ts";
export { stderrLogger } from "./events/stderr-logger.ts";
export type { Telemetry } from "./events/telemetry.ts";
export { type Act, ActError } from "./jobs/act.ts";
export { AddOptionError, type AddOptions, type TransactionOption } from "./jobs/add-options.ts";
export type { AddBatchOptions, AddedBatch, Batch, FollowingJob } from "./jobs/batch.ts";
export type { Dedup } from "./jobs/dedup.ts";
export { DefinitionError } from "./jobs/definition-error.ts";
export type { Effect, EffectState } from "./jobs/effect.ts";
export { EffectInDoubtError, InvalidEffectError } from "./jobs/effect-errors.ts";
export type { ErrorHistory, ErrorHistoryFilter } from "./jobs/error-history.ts";
export type { ErrorFilter, ErrorKind } from "./jobs/error-kind.ts";
export { type ChildItem, type FanOut, type FanOutOptions, fanOut, type OnFailure } from "./jobs/fan-out.ts";
export { filterQualifiers, parseJobFilter } from "./jobs/filter-grammar.ts";
export type { Finding } from "./jobs/finding.ts";
export { IdempotencyKeyInUseError, IdempotencyKeyReusedError } from "./jobs/idempotency-errors.ts";
export type {
  Added,
  Attempt,
  AttemptLogLine,
  AttemptOutcome,
  Job,
  JobError,
  JobId,
  JobProgress,
  JobStatus,
  JobSummary,
  LogLevel,
} from "./jobs/job.ts";
export type { EventsPruned, JobEvent, JobEventDetail, JobEventKind, LoggedEvent } from "./jobs/job-event.ts";
export { type JobFilter, JobFilterError, jobStatuses } from "./jobs/job-filter.ts";
export type { Children, JobOutcome } from "./jobs/job-outcome.ts";
export type { JobCount, JobPage, JobRowNow, ListedJob, PageOptions } from "./jobs/job-page.ts";
export { type JobSort, jobSorts } from "./jobs/job-sort.ts";
export { InvalidOutputError, InvalidPayloadError, PayloadTooLargeError } from "./jobs/json-value.ts";
export { LeaseLostError } from "./jobs/lease-lost-error.ts";
export { CursorError } from "./jobs/list-cursor.ts";
export { didYouMean, nearestName } from "./jobs/nearest-name.ts";
export type { EffectCall, EffectFunction, Once, OnceOptions, UnknownPolicy } from "./jobs/once.ts";
export {
  type GiveUp,
  giveUp,
  PermanentError,
  RetryAfter,
  type RetryLater,
  retryLater,
  type Snooze,
  snooze,
} from "./jobs/outcome.ts";
export { OwnerTokenError, type TokenScope } from "./jobs/owner-token.ts";
export {
  type AnyPipeline,
  definePipeline,
  type Pipeline,
  type PipelineInput,
  type PipelinePayload,
  type PipelineResult,
} from "./jobs/pipeline.ts";
export { ReadEventsOptionError, type ReadEventsOptions } from "./jobs/read-events-options.ts";
export type { Backoff, RetryFunction, RetryPolicy } from "./jobs/retry-policy.ts";
export { ScheduleError } from "./jobs/schedule-error.ts";
export type { ScheduleOptions } from "./jobs/schedule-options.ts";
export type { MissedPolicy } from "./jobs/schedule-plan.ts";
export type { StageContext, StageLog } from "./jobs/stage-context.ts";
export type { StageOptions } from "./jobs/stage-options.ts";
export type { ScheduleTick } from "./jobs/tick-of.ts";
export { UnknownOutcomeError } from "./jobs/unknown-outcome-error.ts";
export type { Recorded } from "./runtime/action-recorder.ts";
export type { BulkActions } from "./runtime/bulk-actions.ts";
export type { BulkRunner } from "./runtime/bulk-runner.ts";
export { BulkActionError } from "./runtime/checked-bulk.ts";
export { HistoryFilterError } from "./runtime/checked-history.ts";
export type { CheckOptions, UnrunnableJobs } from "./runtime/deploy-check.ts";
export type { AddItem } from "./runtime/job-adder.ts";
export type { EventsPart, Reader, ReaderOptions } from "./runtime/reader.ts";
export type { ActNote, RecordedWrites } from "./runtime/recorded-writes.ts";
export {
  InvalidJobIdError,
  JobCancelledError,
  JobFailedError,
  ResultTimeoutError,
  WaitingStoppedError,
} from "./runtime/result-errors.ts";
export type { Schedule } from "./runtime/schedule-book.ts";
export type { Step, StepWorker } from "./runtime/step-worker.ts";
export { HandlerStuckError } from "./runtime/step-worker-error.ts";
export type { ActionFilter, RecordedAction } from "./store/action-store.ts";
export type {
  AbortAnswer,
  BulkAction,
  BulkCount,
  BulkFailure,
  BulkRequest,
} from "./store/bulk-store.ts";
export {
  DatabaseUnavailableError,
  RefusedError,
  SchemaMissingError,
  StatementTimeoutError,
} from "./store/database-error.ts";
export type { DatabaseHealth } from "./store/database-health.ts";
export type {
  ListFilter,
  StageCount,
  Violation,
  WorkerInfo,
} from "./store/job-store.ts";
export type { PipelineInfo, StageInfo } from "./store/pipeline-info.ts";
export type { EventPage } from "./store/read-events.ts";
export type { Reason, ReasonDetail } from "./store/reason.ts";
export type { RecoveredJobs } from "./store/recovered-jobs.ts";
export type { Kept, Retention } from "./store/retention.ts";
export type { ScheduleFilter, SetAnswer, StoredSchedule } from "./store/schedule-store.ts";
export type { HistoryFilter, StageCounts, StageHistory, StageWait } from "./store/stage-numbers.ts";
export type { CancelAnswer, Retried, RetryAnswer } from "./store/steering-store.ts";
export { TransactionError } from "./store/transactions/transaction-error.ts";
