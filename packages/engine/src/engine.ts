import { randomUUID } from "node:crypto";
import { Client } from "./client/client.ts";
import { ClientAssembly } from "./client/client-assembly.ts";
import { type EngineConfig, type EngineOptions, readEngineConfig } from "./engine-config.ts";
import {
  type AnyEngineEventListener,
  type EngineEventListener,
  type EngineEventName,
  EngineEvents,
} from "./events/engine-events.ts";
import { logEvents } from "./events/event-logger.ts";
import { meterEvents } from "./events/event-metrics.ts";
import type { HealthReport } from "./events/health-report.ts";
import { JobTracing } from "./events/job-tracing.ts";
import { servedStages } from "./jobs/pipelines/work-stage.ts";
import type { StepWorker } from "./stepping/step-worker.ts";
import { WorkerLife } from "./worker/worker-life.ts";

const engineVersion = "0.1.0";

/** Makes an engine. Until `start()` it only adds, reads and steers; with it, this process works too. */
export function createEngine(options: EngineOptions): Engine {
  return new Engine(readEngineConfig(options));
}

/** A client that can also be a worker. It brings both together and decides nothing. */
export class Engine extends Client {
  readonly #assembly: ClientAssembly;
  readonly #worker: WorkerLife;
  readonly #stopping: AbortController;
  readonly #endMetrics: (() => void) | null;
  #stopped: Promise<void> | null = null;

  constructor(config: EngineConfig) {
    const { clock, logger, telemetry } = config;
    const events = new EngineEvents();
    const version = engineVersion;
    if (logger !== null) logEvents(events, logger, clock);
    const tracing = JobTracing.from(telemetry, version);
    const endMetrics = meterEvents({ telemetry, version, events, health: () => worker.health() });
    const stopping = new AbortController();
    const assembly = new ClientAssembly({
      config,
      events,
      tracing,
      stopping: stopping.signal,
      onAdded: () => worker.lookNow(),
      onSchedules: () => worker.lookAtSchedules(),
    });
    const { stores, outages, registrar } = assembly;
    const worker = new WorkerLife({
      ...{ config, events, stores, outages, tracing, version, registrar },
      stopping: stopping.signal,
    });
    super(assembly);
    this.#assembly = assembly;
    this.#worker = worker;
    this.#stopping = stopping;
    this.#endMetrics = endMetrics;
  }

  /** The health report of this worker; null while this engine is not started. */
  health(): HealthReport | null {
    return this.#worker.health();
  }

  /** How long a wake-up takes to be heard by this worker, 500 at most; null while it does not listen. */
  notifyLagMs(): Promise<number | null> {
    return this.#worker.notifyLagMs();
  }

  on<Name extends EngineEventName>(name: Name, listener: EngineEventListener<Name>): () => void {
    return this.#assembly.events.on(name, listener);
  }

  onAny(listener: AnyEngineEventListener): () => void {
    return this.#assembly.events.onAny(listener);
  }

  /** Makes this process a worker, also once more after `worker.spent`. Waits for a database that is not up yet. */
  async start(): Promise<void> {
    if (this.#stopped !== null) {
      throw new Error("This engine was stopped and does not start again: make a new one with createEngine.");
    }
    await this.#worker.start();
  }

  /** In place of start(), for tests: a worker that works only when it is told. Stop it before the engine. */
  async stepWorker(options: { readonly handlerLimitMs: number }): Promise<StepWorker> {
    const { config, registrar, stores, events } = this.#assembly;
    const { StepWorker } = await import("./stepping/step-worker.ts");
    return new StepWorker({
      config,
      stages: servedStages(await registrar.register(), config.stages),
      stores,
      events,
      version: engineVersion,
      newWorkerId: randomUUID,
      handlerLimitMs: options.handlerLimitMs,
    });
  }

  /**
   * Drains: no more claims, waiting jobs given back, running ones given `drainTimeoutMs`.
   * A second call cuts the drain short. Legal before `start()` and twice.
   */
  stop(): Promise<void> {
    if (this.#stopped === null) this.#stopped = this.#stop();
    else this.#worker.abort();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { events } = this.#assembly;
    events.emit("engine.stopping", {});
    this.#stopping.abort();
    await this.#worker.stop();
    await this.#assembly.stop();
    this.#endMetrics?.();
    events.emit("engine.stopped", {});
  }
}
