import type { HealthReport } from "../events/health-report.ts";
import { settledWithin } from "../waiting/settled-within.ts";
import type { Registered } from "./lease/worker-registration.ts";
import { assembleWorker, type WorkerAssembly, type WorkerParts } from "./worker-assembly.ts";

const upkeepStartsAfterMs = 1_000;
const settleLimitMs = 4_000;
const leastSettleMs = 1_000;
// For whatever hangs on a database that does not answer: a process that is to end has no longer.
const leaveLimitMs = 1_000;

/** One worker: its parts, started and stopped in order. */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #assembly: WorkerAssembly;
  readonly #stopping = new AbortController();
  readonly #abortDrain = new AbortController();
  #isStarted = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#assembly = assembleWorker(parts);
  }

  get workerId(): string {
    return this.#assembly.workerId();
  }

  /** False: the signal aborted while the database was away, and nothing has begun. */
  async start(signal: AbortSignal, registered: Registered | null = null): Promise<boolean> {
    const { membership, pool, coordinator, scheduler, health } = this.#assembly;
    if (registered !== null) membership.entered(registered);
    else if (!(await membership.enter(signal))) return false;
    this.#isStarted = true;
    pool.start();
    coordinator.start();
    scheduler.start();
    health.start();
    void this.#startUpkeep();
    return true;
  }

  /** Jobs were added by this very process: no need to wait for the wake-up. */
  lookNow(): void {
    if (this.#isStarted) this.#assembly.scheduler.lookNow();
  }

  /** A schedule was set by this very process. */
  lookAtSchedules(): void {
    this.#assembly.keeper.lookNow();
  }

  health(): HealthReport {
    return this.#assembly.health.report();
  }

  /** How long a wake-up takes to be heard; null while nobody listens. */
  async notifyLagMs(): Promise<number | null> {
    const { workers } = this.#parts.stores;
    const { listener } = this.#assembly;
    return (await listener?.lagMs((channel, payload) => workers.notify(channel, payload))) ?? null;
  }

  /** In the order that loses nothing: claims end, waiting jobs go back, running ones end, then the lease. */
  async stop(): Promise<void> {
    const { config } = this.#parts;
    const { clock } = config;
    const { scheduler, coordinator, pool, progress, attemptEnds } = this.#assembly;
    const { listener, lease, membership, tempFolders } = this.#assembly;
    attemptEnds.stopTelling();
    scheduler.stopClaiming();
    await coordinator.stop();
    scheduler.giveBackWaiting();
    await settledWithin(config.drainTimeoutMs, pool.whenIdle(), clock, this.#abortDrain.signal);
    pool.abortAll("shutdown");
    await settledWithin(config.stopGraceMs, pool.whenIdle(), clock);
    pool.abandonAll();
    const settleByMs = clock.monotonicMs() + settleLimitMs;
    const leftMs = () => settleByMs - clock.monotonicMs();
    await settledWithin(leastSettleMs, progress.stop(), clock);
    await attemptEnds.stop(leftMs() - leastSettleMs);
    await scheduler.stop(leftMs());
    await this.#stopUpkeep();
    await Promise.all([listener?.stop(), lease.stop()]);
    await membership.leave(leaveLimitMs);
    await tempFolders.removeAll();
  }

  /** Cuts the drain of a stop() under way short. */
  abort(): void {
    this.#abortDrain.abort();
  }

  /** A worker that starts looks for jobs first: connecting and planning for everything else would delay that. */
  async #startUpkeep(): Promise<void> {
    const { signal } = this.#stopping;
    await this.#parts.config.clock.sleep(upkeepStartsAfterMs, signal);
    if (signal.aborted) return;
    const { membership, monitor, keeper, waitKeeper } = this.#assembly;
    membership.listen();
    monitor.start();
    keeper.start();
    waitKeeper?.start();
  }

  async #stopUpkeep(): Promise<void> {
    const { pool, monitor, keeper, waitKeeper, health, membership } = this.#assembly;
    this.#stopping.abort();
    // A lost worker that is just coming back listens again when it has entered.
    const parts = [pool, monitor, keeper, waitKeeper, health].map((part) => part?.stop());
    const stopped = Promise.all([...parts, membership.stopEntering()]);
    await settledWithin(leaveLimitMs, stopped, this.#parts.config.clock);
  }
}
