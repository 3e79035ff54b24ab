import type { Clock } from "../clock.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import { Cron } from "../jobs/cron.ts";
import type { AnyPipeline } from "../jobs/pipeline.ts";
import { type SchedulePlan, schedulePlan } from "../jobs/schedule-plan.ts";
import { validatePayload } from "../jobs/standard-schema.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";
import type { DueSchedule, ScheduleStore } from "../store/schedule-store.ts";
import { shareMs } from "./share-ms.ts";
import { Ticker } from "./ticker.ts";

export interface ScheduleKeeperParts {
  readonly pipelines: readonly AnyPipeline[];
  readonly store: Pick<ScheduleStore, "due" | "fire" | "noteProblem">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly random: () => number;
  readonly onFired: () => void;
}

const lookIntervalMs = 5_000;
// Another worker is just about to move it, or a timer was a hair early by the database's clock.
const takenMs = 50;

/**
 * Adds the jobs of schedules when their ticks come. Every worker does it for its own pipelines, without a leader:
 * the database lets one of them fire a tick, and says by its own clock when that is due.
 */
export class ScheduleKeeper {
  readonly #parts: ScheduleKeeperParts;
  readonly #pipelines: ReadonlyMap<string, AnyPipeline>;
  readonly #ticker: Ticker;
  #lookMs = lookIntervalMs;
  #waitMs = lookIntervalMs;

  constructor(parts: ScheduleKeeperParts) {
    this.#parts = parts;
    this.#pipelines = new Map(parts.pipelines.map((pipeline) => [pipeline.name, pipeline]));
    this.#ticker = new Ticker({
      intervalMs: () => this.#waitMs,
      clock: parts.clock,
      tick: () => this.look(),
      onError: (thrown) => {
        // An outage is told once, by the pool.
        if (!(thrown instanceof DatabaseUnavailableError)) parts.events.emitError(thrown);
      },
    });
  }

  start(): void {
    this.#ticker.start();
  }

  /** A schedule was set by this very process. */
  lookNow(): void {
    this.#ticker.wake();
  }

  stop(): Promise<void> {
    return this.#ticker.stop();
  }

  /** How many workers, this one among them, see to the same schedules: one of them finds soon what others have set. */
  set sharers(count: number) {
    this.#lookMs = shareMs(lookIntervalMs, count);
  }

  /** Fires what is due now, and sees what comes next. */
  async look(): Promise<void> {
    const { store, random } = this.#parts;
    // Spread by a quarter either way, so that a fleet that was started together does not look together.
    const lookMs = this.#lookMs;
    this.#waitMs = lookMs * (0.75 + 0.5 * random());
    // As far ahead as the next look may be away: every worker knows of every tick, whoever dies.
    const schedules = await store.due([...this.#pipelines.keys()], lookMs * 1.25);
    // Of those due at the same moment every worker begins with another one.
    const due = shuffled(
      schedules.filter(({ waitMs }) => waitMs === 0),
      random,
    );
    for (const schedule of schedules) {
      if (schedule.waitMs > 0) this.#waitMs = Math.min(this.#waitMs, Math.ceil(schedule.waitMs));
    }
    for (const schedule of due) this.#waitMs = Math.min(this.#waitMs, await this.#seeTo(schedule));
  }

  /** Says how soon there may be more to do. */
  async #seeTo(schedule: DueSchedule): Promise<number> {
    const { store, events, onFired } = this.#parts;
    let plan: SchedulePlan;
    try {
      plan = schedulePlan(new Cron(schedule.cron, schedule.timeZone), schedule, schedule.now);
      await this.#checkPayload(schedule);
    } catch (error) {
      return await this.#noteProblem(schedule, error);
    }
    try {
      const { answer, jobId } = await store.fire(schedule, plan);
      if (answer === "taken" || answer === "not_due") return takenMs;
      // Not the one it waited for, then that was missed.
      if (schedule.nextAt !== null && plan.tick !== schedule.nextAt) {
        events.emit("schedule.missed", { schedule: schedule.name, from: schedule.nextAt, next: plan.next });
      }
      if (plan.tick !== null && jobId !== null) {
        events.emit("schedule.fired", { schedule: schedule.name, tickAt: plan.tick, jobId });
        onFired();
      }
      return 0;
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error;
      // Its job was refused, say by a full pipeline; others must not wait for it.
      return await this.#noteProblem(schedule, error);
    }
  }

  async #checkPayload({ pipeline, payload }: DueSchedule): Promise<void> {
    const schema = this.#pipelines.get(pipeline)?.payload ?? null;
    if (schema !== null) await validatePayload(schema, payload);
  }

  async #noteProblem(schedule: DueSchedule, error: unknown): Promise<number> {
    const { store, events } = this.#parts;
    const problem = error instanceof Error ? error.message : String(error);
    await store.noteProblem(schedule, problem);
    // Looked at again every minute, it is told once.
    if (problem !== schedule.problem) {
      events.emit("schedule.problem", { schedule: schedule.name, problem });
    }
    return lookIntervalMs;
  }
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
