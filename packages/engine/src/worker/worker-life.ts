import { randomUUID } from "node:crypto";
import type { EngineConfig } from "../engine-config.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import type { HealthReport } from "../events/health-report.ts";
import type { JobTracing } from "../events/job-tracing.ts";
import { servedKeys, servedStages, type WorkStage } from "../jobs/pipelines/work-stage.ts";
import type { Expectation, StageIds } from "../store/calls/expectation.ts";
import type { Outages } from "../store/connections/outages.ts";
import { UpkeepDatabase } from "../store/connections/upkeep-database.ts";
import { Stores } from "../store/stores.ts";
import { type Registered, registrationOf } from "./lease/worker-registration.ts";
import type { Worker } from "./worker.ts";
import type { WorkerParts } from "./worker-assembly.ts";

export interface WorkerLifeParts {
  readonly config: EngineConfig;
  readonly events: EngineEvents;
  readonly stores: WorkerParts["stores"];
  readonly outages: Outages;
  readonly tracing: JobTracing | null;
  readonly version: string;
  /** Waits for a database that is away, and gives up when the signal aborts. */
  readonly registrar: {
    registerPatiently(
      signal: AbortSignal,
      recognize: (expected: Expectation) => Promise<StageIds | null>,
    ): Promise<readonly WorkStage[] | null>;
  };
  /** The engine's end: a start that still waits for the database gives up. */
  readonly stopping: AbortSignal;
}

/** This process as a worker: it starts, may be spent and start again, and stops. One worker at a time. */
export class WorkerLife {
  readonly #parts: WorkerLifeParts;
  #worker: Worker | null = null;
  #upkeep: UpkeepDatabase | null = null;
  #starting: Promise<void> | null = null;
  #ending: Promise<void> | null = null;

  constructor(parts: WorkerLifeParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    // A spent worker drains first.
    await this.#ending;
    // A start that failed may be repeated, say after a migrate().
    this.#starting ??= this.#start().catch((error) => {
      this.#starting = null;
      throw error;
    });
    await this.#starting;
  }

  async stop(): Promise<void> {
    await this.#starting?.catch(() => {});
    await this.#end();
  }

  /** Cuts the drain of a stop() under way short. */
  abort(): void {
    this.#worker?.abort();
  }

  /** This process has added jobs. */
  lookNow(): void {
    this.#worker?.lookNow();
  }

  /** This process has changed schedules. */
  lookAtSchedules(): void {
    this.#worker?.lookAtSchedules();
  }

  /** Null while there is no worker. */
  health(): HealthReport | null {
    return this.#worker?.health() ?? null;
  }

  /** Null while no worker listens. */
  async notifyLagMs(): Promise<number | null> {
    return (await this.#worker?.notifyLagMs()) ?? null;
  }

  async #start(): Promise<void> {
    const { config, events, stores, outages, tracing, version, registrar, stopping } = this.#parts;
    if (config.pipelines.length === 0) {
      throw new Error(
        "This engine has no pipelines to work on: give createEngine some, or leave out start().",
      );
    }
    const { clock, target, schema, transactionPooler } = config;
    const stages = servedKeys(config.pipelines, config.stages);
    const registration = registrationOf(config, { workerId: randomUUID(), stages, version });
    let entered: Registered | null = null;
    // Only who works loads what works, and meanwhile the connection is made.
    const [registered, { Worker }] = await Promise.all([
      registrar.registerPatiently(stopping, async (expected) => {
        const sentAtMs = clock.monotonicMs();
        const stageIds = await stores.workers.registerIfKnown(registration, expected);
        if (stageIds !== null) entered = { workerId: registration.workerId, sentAtMs };
        return stageIds;
      }),
      import("./worker.ts"),
    ]);
    if (registered === null) return;
    this.#upkeep ??= UpkeepDatabase.join(clock, { target, schema, transactionPooler, outages }, this);
    const worker = new Worker({
      config,
      stages: servedStages(registered, config.stages),
      stores,
      upkeepStores: new Stores(this.#upkeep.database),
      events,
      version,
      tracing,
      newWorkerId: randomUUID,
      onSpent: (reason) => this.#spent(worker.workerId, reason),
    });
    if (!(await worker.start(stopping, entered))) return;
    this.#worker = worker;
    events.emit("engine.started", { workerId: worker.workerId });
  }

  /** Only the worker ends: this process still adds jobs and waits for results. */
  #spent(workerId: string, reason: string): void {
    const { events } = this.#parts;
    events.emit("worker.spent", { workerId, reason });
    this.#end().catch((error) => events.emitError(error));
  }

  #end(): Promise<void> {
    this.#ending ??= this.#drain().finally(() => {
      this.#ending = null;
    });
    return this.#ending;
  }

  async #drain(): Promise<void> {
    const worker = this.#worker;
    await worker?.stop();
    this.#worker = null;
    this.#starting = null;
    await this.#upkeep?.leave(this);
    this.#upkeep = null;
    if (worker !== null) this.#parts.events.emit("worker.stopped", { workerId: worker.workerId });
  }
}
