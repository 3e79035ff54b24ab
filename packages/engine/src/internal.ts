// lockstep/internal: what Lockstep's other packages share with the engine. Not for applications: it may change in any release.
export { systemClock } from "./clock.ts";
export { looksSecret, redactText, secretKeyPattern } from "./events/redact.ts";
export { errorSorts } from "./jobs/reading/error-kind.ts";
export { jobStatuses } from "./jobs/reading/job-filter.ts";
export { jobSorts } from "./jobs/reading/job-sort.ts";
export { checkScheduleOptions } from "./jobs/schedules/schedule-options.ts";
export { didYouMean } from "./jobs/values/nearest-name.ts";
export {
  amount,
  clockLike,
  hasMethods,
  loggerLike,
  optional,
  type SettingCheck,
  span,
} from "./setting-checks.ts";
