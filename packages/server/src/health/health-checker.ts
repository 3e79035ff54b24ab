import type { Clock, Engine, Reader } from "lockstep";
import type { HealthAnswer, HealthCheck } from "../contract/health.ts";
import type { Live } from "../live/make-live.ts";
import { problemOf } from "../middleware/problem-of.ts";
import { healthCheck } from "./health-check.ts";
import { queueChecks } from "./queue-checks.ts";
import { retentionChecks } from "./retention-checks.ts";
import { serverChecks } from "./server-checks.ts";

export interface Health extends HealthAnswer {
  readonly checks: readonly HealthCheck[];
}

export interface HealthCheckerParts {
  readonly engine: Pick<Engine, "health" | "notifyLagMs" | "retention">;
  readonly reader: Pick<
    Reader,
    "check" | "workers" | "waits" | "databaseHealth" | "recoveredJobs" | "retention"
  >;
  readonly live: Pick<Live, "eventLagMs">;
  readonly clock: Clock;
}

const keptMs = 1_000;
const slowMs = 1_000;

/** Looks at the queue's health, once a second at most, however many ask. */
export class HealthChecker {
  readonly #parts: HealthCheckerParts;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<Health> | null = null;

  constructor(parts: HealthCheckerParts) {
    this.#parts = parts;
  }

  look(): Promise<Health> {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#looking === null || nowMs - this.#lookedAtMs >= keptMs) {
      this.#lookedAtMs = nowMs;
      this.#looking = this.#look();
    }
    return this.#looking;
  }

  async #look(): Promise<Health> {
    const database = await this.#databaseCheck();
    const others = database.ok
      ? await Promise.all([
          looked("database server", this.#serverChecks()),
          looked("queue", this.#queueChecks()),
          looked("retention", this.#retentionChecks()),
        ])
      : [];
    const checks = [database, ...others.flat()];
    return { ok: checks.every(({ ok, isCritical }) => ok || !isCritical), checks };
  }

  async #databaseCheck(): Promise<HealthCheck> {
    const common = { check: "database", isCritical: true, threshold: slowMs, detail: null };
    try {
      const { roundTripMs } = await this.#parts.reader.check();
      const advice =
        roundTripMs > slowMs ? "PostgreSQL answers slowly: check its load and the network." : null;
      // Slow is not away: the work goes on.
      return { ...common, ok: true, value: Math.round(roundTripMs), advice };
    } catch (error) {
      const advice = problemOf(error)?.message ?? "PostgreSQL cannot be used; the server's log says more.";
      return { ...common, ok: false, value: null, advice };
    }
  }

  async #serverChecks(): Promise<HealthCheck[]> {
    const { engine, reader, live } = this.#parts;
    const [database, notifyLagMs] = await Promise.all([reader.databaseHealth(), engine.notifyLagMs()]);
    return serverChecks({ database, notifyLagMs, eventLagMs: live.eventLagMs() });
  }

  async #queueChecks(): Promise<HealthCheck[]> {
    const { engine, reader } = this.#parts;
    const [workers, waits, recovered] = await Promise.all([
      reader.workers(),
      reader.waits(),
      reader.recoveredJobs(),
    ]);
    return queueChecks({ workers, waits, recovered, report: engine.health() });
  }

  async #retentionChecks(): Promise<HealthCheck[]> {
    const { engine, reader } = this.#parts;
    return retentionChecks(await reader.retention(), engine.health() === null ? null : engine.retention);
  }
}

/** What cannot be checked counts as failed; the other checks are still reported. */
async function looked(check: string, checks: Promise<HealthCheck[]>): Promise<HealthCheck[]> {
  try {
    return await checks;
  } catch (error) {
    const advice = problemOf(error)?.message ?? "This could not be checked.";
    return [healthCheck({ check, value: 1, threshold: 0, advice })];
  }
}
