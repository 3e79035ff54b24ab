import type {
  BranchesAnswer,
  BudgetAnswer,
  BudgetUsageAnswer,
  BudgetUsagePageAnswer,
  BulkActionAnswer,
  ErrorHistoryAnswer,
  ErrorKindAnswer,
  HealthAnswer,
  HistoryAnswer,
  JobAnswer,
  JobPageAnswer,
  JobSummaryAnswer,
  Me,
  PipelineAnswer,
  Problem,
  RecordedActionAnswer,
  ScheduleAnswer,
  StageCountAnswer,
  StageWaitAnswer,
  StatsAnswer,
  StreamsAnswer,
  WaitingJobAnswer,
  WorkerAnswer,
} from "@lockstep/server/contract";

/** The console's words for what the API answers. */
export type Job = JobAnswer;
export type JobSummary = JobSummaryAnswer;
export type JobPage = JobPageAnswer;
export type JobStatus = JobSummary["status"];
export type JobError = NonNullable<JobSummary["error"]>;
export type ErrorCause = NonNullable<JobError["cause"]>;
export type Branch = BranchesAnswer["data"][number];
export type Attempt = Job["attempts"][number];
export type LogLine = NonNullable<Attempt["log"]>[number];
export type Pipeline = PipelineAnswer;
export type Stage = Pipeline["stages"][number];
export type Stats = StatsAnswer;
export type StageCount = StageCountAnswer;
export type StageWait = StageWaitAnswer;
export type HistoryStep = HistoryAnswer["data"][number];
export type Stream = StreamsAnswer["data"][number];
export type Worker = WorkerAnswer;
export type WaitingJob = WaitingJobAnswer;
export type Budget = BudgetAnswer;
export type BudgetUsage = BudgetUsageAnswer;
export type BudgetUsagePage = BudgetUsagePageAnswer;
export type Schedule = ScheduleAnswer;
export type Health = HealthAnswer;
export type BulkAction = BulkActionAnswer;
export type ErrorHistory = ErrorHistoryAnswer;
export type ErrorKind = ErrorKindAnswer;
export type RecordedAction = RecordedActionAnswer;
export type { Me, Problem };

export const statuses = [
  "scheduled",
  "pending",
  "processing",
  "retrying",
  "completed",
  "failed",
  "cancelled",
] as const satisfies readonly JobStatus[];

export function isFinished(status: JobStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
