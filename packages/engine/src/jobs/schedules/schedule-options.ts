import { AddOptionError, checkAddOptions } from "../adding/add-options.ts";
import { didYouMean } from "../values/nearest-name.ts";
import { Cron } from "./cron.ts";
import { ScheduleError } from "./schedule-error.ts";
import type { MissedPolicy } from "./schedule-plan.ts";

/** What a schedule adds, and when. */
export interface ScheduleOptions<Payload = unknown> {
  /** Minute, hour, day of the month, month, day of the week; with a sixth field in front, the second. */
  readonly cron: string;
  /** An IANA name such as "Europe/Berlin"; default "UTC". */
  readonly timeZone?: string | undefined;
  /** Every job of the schedule gets this payload. */
  readonly payload: Payload;
  /** 1 to 20, the smaller the sooner; default 10. */
  readonly priority?: number | undefined;
  readonly owner?: string | undefined;
  readonly groupKey?: string | undefined;
  /** At most 18; each job also gets `schedule:NAME` and `tick:TIME`. */
  readonly tags?: readonly string[] | undefined;
  /** What becomes of ticks that no worker could serve: "skip" (default), or "run_once" for all of them together. */
  readonly missed?: MissedPolicy | undefined;
}

const optionNames = ["cron", "timeZone", "payload", "priority", "owner", "groupKey", "tags", "missed"];
const mostTags = 18;

/** Refuses, with a sentence, a schedule that could not be followed. */
export function checkScheduleOptions(name: string, options: ScheduleOptions): void {
  if (typeof name !== "string" || !/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/.test(name)) {
    throw new ScheduleError(
      `A schedule's name is 1 to 100 letters, digits, "_", ".", ":" or "-" and begins with a letter or digit; ${JSON.stringify(String(name).slice(0, 120))} is not one.`,
    );
  }
  if (typeof options !== "object" || options === null) {
    throw new ScheduleError('The options of a schedule must be an object such as { cron: "0 3 * * *" }.');
  }
  for (const option of Object.keys(options)) {
    if (optionNames.includes(option)) continue;
    throw new ScheduleError(
      `Unknown option "${option}" of schedule "${name}".${didYouMean(option, optionNames)}`,
    );
  }
  const { cron, timeZone = "UTC", priority, owner, groupKey, tags, missed = "skip" } = options;
  new Cron(cron, timeZone);
  if (missed !== "skip" && missed !== "run_once") {
    throw new ScheduleError(`missed of schedule "${name}" must be "skip" or "run_once".`);
  }
  if (Array.isArray(tags) && tags.length > mostTags) {
    throw new ScheduleError(
      `Schedule "${name}" has ${tags.length} tags, but may have ${mostTags}: its jobs get two more.`,
    );
  }
  try {
    checkAddOptions({ priority, owner, groupKey, tags });
  } catch (error) {
    throw error instanceof AddOptionError ? new ScheduleError(`Schedule "${name}": ${error.message}`) : error;
  }
}
