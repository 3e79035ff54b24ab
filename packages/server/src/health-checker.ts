import type { Clock, Engine, Reader } from "lockstep";
import type { HealthAnswer } from "./contract/health.ts";
import { problemOf } from "./middleware/problem-of.ts";

type Check = NonNullable<HealthAnswer["checks"]>[number];

export interface Health extends HealthAnswer {
  readonly checks: readonly Check[];
}

const keptMs = 1_000;
const slowMs = 1_000;
const overdueAfterMs = 60_000;

/** Looks at the queue's health, once a second at most, however many ask. */
export class HealthChecker {
  readonly #engine: Pick<Engine, "health">;
  readonly #reader: Pick<Reader, "check" | "workers" | "waits">;
  readonly #clock: Clock;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<Health> | null = null;

  constructor(parts: {
    engine: Pick<Engine, "health">;
    reader: Pick<Reader, "check" | "workers" | "waits">;
    clock: Clock;
  }) {
    this.#engine = parts.engine;
    this.#reader = parts.reader;
    this.#clock = parts.clock;
  }

  look(): Promise<Health> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#looking === null || nowMs - this.#lookedAtMs >= keptMs) {
      this.#lookedAtMs = nowMs;
      this.#looking = this.#look();
    }
    return this.#looking;
  }

  async #look(): Promise<Health> {
    const database = await this.#databaseCheck();
    const checks = database.ok ? [database, ...(await this.#queueChecks())] : [database];
    return { ok: checks.every(({ ok, isCritical }) => ok || !isCritical), checks };
  }

  async #databaseCheck(): Promise<Check> {
    const common = { check: "database", isCritical: true, threshold: slowMs };
    try {
      const { roundTripMs } = await this.#reader.check();
      const advice =
        roundTripMs > slowMs ? "PostgreSQL answers slowly: look at its load and the network." : null;
      // Slow is not away: the work goes on.
      return { ...common, ok: true, value: Math.round(roundTripMs), advice };
    } catch (error) {
      const advice = problemOf(error)?.message ?? "PostgreSQL cannot be used; the server's log tells more.";
      return { ...common, ok: false, value: null, advice };
    }
  }

  async #queueChecks(): Promise<Check[]> {
    try {
      const [workers, waits] = await Promise.all([this.#reader.workers(), this.#reader.waits()]);
      const lost = workers.filter(({ isAlive, activeJobs }) => !isAlive && activeJobs > 0).length;
      const deserted = waits.filter(({ liveWorkers, pendingMs }) => liveWorkers === 0 && pendingMs !== null);
      const [nobody] = deserted;
      const overdueMs = Math.max(0, ...waits.map((wait) => Math.round(wait.overdueMs ?? 0)));
      return [
        check(
          "lost workers",
          lost,
          0,
          "They hold jobs that a live worker's sweep takes back: start a worker.",
        ),
        check(
          "stages without a worker",
          deserted.length,
          0,
          `Jobs wait in ${nobody?.pipeline}/${nobody?.stage} and no worker serves it: start one that has it.`,
        ),
        check("overdue ms", overdueMs, overdueAfterMs, "Jobs are due and not taken: start more workers."),
        ...this.#ownWorker(),
      ];
    } catch (error) {
      return [check("queue", 1, 0, problemOf(error)?.message ?? "The queue could not be looked at.")];
    }
  }

  #ownWorker(): Check[] {
    const report = this.#engine.health();
    return report === null
      ? []
      : [check("worker of this process", report.problems.length, 0, report.problems.join("; "))];
  }
}

function check(name: string, value: number, threshold: number, advice: string): Check {
  const ok = value <= threshold;
  return { check: name, ok, isCritical: false, value, threshold, advice: ok ? null : advice };
}
