import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import type { AnyPipeline } from "../../jobs/pipelines/pipeline.ts";
import { Cron } from "../../jobs/schedules/cron.ts";
import { type SchedulePlan, schedulePlan } from "../../jobs/schedules/schedule-plan.ts";
import { validatePayload } from "../../jobs/values/standard-schema.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { DueSchedule, ScheduleStore } from "../../store/steering/schedule-store.ts";
import { Ticker } from "../../waiting/ticker.ts";
import { shareMs } from "../waking/share-ms.ts";

export interface ScheduleKeeperParts {
  readonly pipelines: readonly AnyPipeline[];
  readonly store: Pick<ScheduleStore, "due" | "fire" | "noteProblem">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly random: () => number;
  readonly onFired: () => void;
}

const lookIntervalMs = 5_000;
// Another worker is about to fire it, or our timer was slightly early by the database's clock.
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
    // As far ahead as the next look may be: then every worker knows of every tick, even if another dies.
    const schedules = await store.due([...this.#pipelines.keys()], lookMs * 1.25);
    // Of schedules that are due at the same moment, each worker begins with a different one.
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
      const { answer, jobId, problem } = await store.fire(schedule, plan);
      if (answer === "taken" || answer === "not_due") return takenMs;
      // If this is not the tick it waited for, that one was missed.
      if (schedule.nextAt !== null && plan.tick !== schedule.nextAt) {
        events.emit("schedule.missed", { schedule: schedule.name, from: schedule.nextAt, next: plan.next });
      }
      if (plan.tick !== null && jobId !== null) {
        events.emit("schedule.fired", { schedule: schedule.name, tickAt: plan.tick, jobId });
        onFired();
      }
      if (problem !== null) events.emit("schedule.problem", { schedule: schedule.name, problem });
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
    .map((item) => ({ item, lot: random() }))
    .sort((one, other) => one.lot - other.lot)
    .map(({ item }) => item);
}
