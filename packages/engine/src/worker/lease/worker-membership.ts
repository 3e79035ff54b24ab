import type { EngineConfig } from "../../engine-config.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import { stageKey, type WorkStage } from "../../jobs/pipelines/work-stage.ts";
import { DatabaseUnavailableError, RefusedError } from "../../store/connections/database-error.ts";
import type { WakeUpListener } from "../../store/connections/wake-up-listener.ts";
import type { WorkerStore } from "../../store/working/worker-store.ts";
import { settledWithin } from "../../waiting/settled-within.ts";
import type { WorkerLease } from "./worker-lease.ts";
import { type Registered, registrationOf, workerNameOf } from "./worker-registration.ts";

export interface WorkerMembershipParts {
  readonly config: Pick<EngineConfig, "workerName" | "leaseMs" | "clock">;
  readonly stages: readonly WorkStage[];
  readonly store: Pick<WorkerStore, "register" | "deregister">;
  readonly events: EngineEvents;
  readonly version: string;
  readonly newWorkerId: () => string;
  readonly identity: WorkerIdentity;
  readonly lease: Pick<WorkerLease, "start" | "stop">;
  readonly listener: Pick<WakeUpListener, "start" | "stop"> | null;
  /** Registered, for the first time or again: what went wrong before is over. */
  readonly onEntered: () => void;
  /** Others run our jobs now. */
  readonly onLost: () => void;
  /** It works under a new id. */
  readonly onEnteredAgain: () => void;
}

/** Under which id this worker works now; empty before it is registered. */
export interface WorkerIdentity {
  workerId: string;
}

const registerAgainMs = 1_000;
const lostCode = "LS004";

/** A worker's row among the workers: made with a lease, made again under a new id when the lease was lost, removed in the end. */
export class WorkerMembership {
  readonly #parts: WorkerMembershipParts;
  readonly #leaving = new AbortController();
  #isEnteringAgain = false;
  #enteringAgain: Promise<void> = Promise.resolve();

  constructor(parts: WorkerMembershipParts) {
    this.#parts = parts;
  }

  /** Registers under a new id and begins its lease; goes on trying while the database is away. False: the signal aborted. */
  async enter(signal: AbortSignal): Promise<boolean> {
    const { config, store, version, newWorkerId } = this.#parts;
    const stages = this.#parts.stages.map(stageKey);
    let workerId = newWorkerId();
    for (;;) {
      const sentAtMs = config.clock.monotonicMs();
      try {
        await store.register(registrationOf(config, { workerId, stages, version }));
        this.entered({ workerId, sentAtMs });
        return true;
      } catch (error) {
        if (error instanceof RefusedError && error.code === lostCode) {
          // It was entered by a call whose reply was lost, and its lease has ended since.
          workerId = newWorkerId();
          continue;
        }
        if (!(error instanceof DatabaseUnavailableError) || error.isFinal) throw error;
        await config.clock.sleep(registerAgainMs, signal);
        if (signal.aborted) return false;
      }
    }
  }

  /** It is registered: its lease begins. */
  entered({ workerId, sentAtMs }: Registered): void {
    const { config, events, identity, lease, onEntered } = this.#parts;
    identity.workerId = workerId;
    lease.start(workerId, sentAtMs);
    onEntered();
    events.emit("worker.registered", { workerId, name: workerNameOf(config) });
  }

  /** Listens for wake-ups. While it registers again, it does so only afterwards. */
  listen(): void {
    if (!this.#isEnteringAgain) this.#parts.listener?.start(this.#parts.identity.workerId);
  }

  /** The lease is lost: stop what runs, and begin again as somebody new. */
  lost(): void {
    // The heartbeat and the claim may both be told.
    if (this.#isEnteringAgain || this.#leaving.signal.aborted) return;
    this.#isEnteringAgain = true;
    const { events, identity, onLost } = this.#parts;
    events.emit("worker.lost", { workerId: identity.workerId });
    onLost();
    this.#enteringAgain = this.#enterAgain().finally(() => {
      this.#isEnteringAgain = false;
    });
  }

  /** From now on it does not register again; resolves when no registration is under way. */
  async stopEntering(): Promise<void> {
    this.#leaving.abort();
    await this.#enteringAgain;
  }

  /** Removes the row, unless the database does not answer in time. */
  async leave(limitMs: number): Promise<void> {
    const { config, store, identity } = this.#parts;
    await settledWithin(limitMs, store.deregister(identity.workerId), config.clock);
  }

  async #enterAgain(): Promise<void> {
    const { config, events, identity, lease, listener, onEnteredAgain } = this.#parts;
    const { signal } = this.#leaving;
    // Without a lease nothing is trusted, and so nothing is claimed until the new one holds.
    await Promise.all([lease.stop(), listener?.stop()]);
    while (!signal.aborted) {
      try {
        if (!(await this.enter(signal))) return;
        listener?.start(identity.workerId);
        onEnteredAgain();
        return;
      } catch (error) {
        // Whatever the error is: a worker that gave up here would live on and never work again.
        events.emitError(error);
        await config.clock.sleep(registerAgainMs, signal);
      }
    }
  }
}
