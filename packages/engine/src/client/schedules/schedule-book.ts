import type { Clock } from "../../clock.ts";
import type { AnyPipeline } from "../../jobs/pipelines/pipeline.ts";
import { Cron } from "../../jobs/schedules/cron.ts";
import { checkScheduleOptions, type ScheduleOptions } from "../../jobs/schedules/schedule-options.ts";
import { encodePayload } from "../../jobs/values/json-value.ts";
import { validatePayload } from "../../jobs/values/standard-schema.ts";
import type {
  ScheduleFilter,
  ScheduleStore,
  SetAnswer,
  StoredSchedule,
} from "../../store/steering/schedule-store.ts";

/** A schedule with the times of its next jobs; none while it is paused or its pattern cannot be read. */
export interface Schedule extends StoredSchedule {
  readonly nextRuns: readonly Date[];
}

export interface ScheduleBookParts {
  readonly store: Pick<ScheduleStore, "set" | "pause" | "resume" | "remove" | "list">;
  readonly clock: Clock;
  /** Resolves when the database knows the pipelines. */
  readonly ready: () => Promise<unknown>;
  /** There may be something new to do for a worker in this process. */
  readonly onChanged: () => void;
}

const runsShown = 5;

/** The schedules as people see them: set, steer, look. What comes of them is the ScheduleKeeper's work. */
export class ScheduleBook {
  readonly #parts: ScheduleBookParts;

  constructor(parts: ScheduleBookParts) {
    this.#parts = parts;
  }

  async set(name: string, pipeline: AnyPipeline, options: ScheduleOptions): Promise<SetAnswer> {
    checkScheduleOptions(name, options);
    const { cron, timeZone = "UTC", priority = 10, owner = null, groupKey = null } = options;
    const { tags = [], missed = "skip" } = options;
    const payload = encodePayload(options.payload);
    if (pipeline.payload !== null) await validatePayload(pipeline.payload, JSON.parse(payload));
    await this.#parts.ready();
    const setting = {
      name,
      pipeline: pipeline.name,
      cron,
      timeZone,
      payload,
      priority,
      owner,
      groupKey,
      tags,
      missed,
    };
    const answer = await this.#parts.store.set(setting);
    this.#parts.onChanged();
    return answer;
  }

  pause(name: string): Promise<boolean> {
    return this.#parts.store.pause(name);
  }

  async resume(name: string): Promise<boolean> {
    const isChanged = await this.#parts.store.resume(name);
    this.#parts.onChanged();
    return isChanged;
  }

  remove(name: string): Promise<boolean> {
    return this.#parts.store.remove(name);
  }

  async list(filter: ScheduleFilter): Promise<Schedule[]> {
    const now = this.#parts.clock.now();
    return (await this.#parts.store.list(filter)).map((schedule) => ({
      ...schedule,
      nextRuns: nextRunsOf(schedule, now),
    }));
  }
}

function nextRunsOf({ cron, timeZone, pausedAt }: StoredSchedule, now: Date): Date[] {
  if (pausedAt !== null) return [];
  try {
    return new Cron(cron, timeZone).nextFew(now, runsShown);
  } catch {
    // Set in SQL, with a pattern that nobody can read: a worker notes it as the schedule's problem.
    return [];
  }
}
