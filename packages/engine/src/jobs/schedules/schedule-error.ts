import { brandError } from "@lockstep/database";

/** A schedule that was described wrongly: a cron pattern, a time zone, an option. Nothing has changed. */
export class ScheduleError extends Error {
  static {
    brandError(ScheduleError, "ScheduleError");
  }

  override readonly name = "ScheduleError";
}
