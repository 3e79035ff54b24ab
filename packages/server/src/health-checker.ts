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
const lateMs = 250;
const skewedMs = 2_000;
// As `diagnose` has them: fewer dead rows than this, or than live ones, slow nothing down.
const manyDeadRows = 50_000;
const longOpenMs = 300_000;

/** Looks at the queue's health, once a second at most, however many ask. */
export class HealthChecker {
  readonly #engine: Pick<Engine, "health" | "notifyLagMs">;
  readonly #reader: Pick<Reader, "check" | "workers" | "waits" | "databaseHealth">;
  readonly #clock: Clock;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<Health> | null = null;

  constructor(parts: {
    engine: Pick<Engine, "health" | "notifyLagMs">;
    reader: Pick<Reader, "check" | "workers" | "waits" | "databaseHealth">;
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
    const others = database.ok ? await Promise.all([this.#serverChecks(), this.#queueChecks()]) : [];
    const checks = [database, ...others.flat()];
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

  async #serverChecks(): Promise<Check[]> {
    try {
      const [server, lagMs] = await Promise.all([this.#reader.databaseHealth(), this.#engine.notifyLagMs()]);
      return [
        check(
          "notify lag ms",
          lagMs === null ? null : Math.round(lagMs),
          lateMs,
          "Wake-ups come late, and jobs wait for them: look at the load of PostgreSQL and of this process.",
        ),
        check(
          "clock skew ms",
          Math.round(Math.abs(server.clockAheadMs)),
          skewedMs,
          "The clocks of PostgreSQL and of this machine differ: let both follow a time server.",
        ),
        check(
          "dead rows",
          server.deadRows,
          Math.max(manyDeadRows, server.liveRows),
          "Vacuum does not keep up with the jobs: lockstep doctor says what holds it back.",
        ),
        check(
          "oldest transaction ms",
          server.oldestTransactionMs === null ? null : Math.round(server.oldestTransactionMs),
          longOpenMs,
          "It holds back vacuum: lockstep doctor names the session that has to end it.",
        ),
      ];
    } catch (error) {
      return [check("database server", 1, 0, problemOf(error)?.message ?? "It could not be looked at.")];
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

/** A value of null: there is nothing to tell, which is well. */
function check(name: string, value: number | null, threshold: number, advice: string): Check {
  const ok = value === null || value <= threshold;
  return { check: name, ok, isCritical: false, value, threshold, advice: ok ? null : advice };
}
