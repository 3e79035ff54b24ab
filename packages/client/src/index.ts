export type {
  BudgetAnswer,
  BudgetLimitAnswer,
  BudgetUsageAnswer,
  BudgetUsagePage,
  BudgetUsageQuery,
  FullScopeAnswer,
} from "./budget-answer.ts";
export { type ClientOptions, createClient, type LockstepClient } from "./create-client.ts";
export type {
  AttemptAnswer,
  ErrorCause,
  JobAnswer,
  JobErrorAnswer,
  PastWaitAnswer,
  SignalledAnswer,
  WaitAnswer,
} from "./job-answer.ts";
export type { LiveEvents, LiveEventsOptions } from "./live-events.ts";
export type { LiveJobEvent, LiveMessage, StateTopic } from "./live-message.ts";
export type { LiveQuery } from "./live-query.ts";
export type { LiveStatus } from "./live-status.ts";
export { ResponseError } from "./response-error.ts";
export type { StreamMessage } from "./stream-message.ts";
