/** A schedule that was described wrongly: a cron pattern, a time zone, an option. Nothing has changed. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
}
