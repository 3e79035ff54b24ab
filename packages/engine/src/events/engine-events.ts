import type { JobError, LogLevel } from "../jobs/job.ts";
import type { HealthReport } from "./health-report.ts";

interface StageEvent {
  readonly jobId: string;
  readonly pipeline: string;
  readonly stage: string;
}

interface AttemptEvent extends StageEvent {
  readonly attempt: number;
}

/** Everything an engine says, by name. */
export interface EngineEventMap {
  "engine.started": { readonly workerId: string };
  "engine.stopping": Record<never, never>;
  "engine.stopped": Record<never, never>;
  "engine.error": { readonly error: Error };
  "worker.registered": { readonly workerId: string; readonly name: string };
  "worker.lost": { readonly workerId: string };
  "job.added": { readonly jobId: string; readonly pipeline: string; readonly created: boolean };
  "job.claimed": AttemptEvent;
  "job.started": AttemptEvent & { readonly processor: number };
  "job.progress": { readonly jobId: string; readonly percent: number; readonly note: string | null };
  "job.advanced": StageEvent & { readonly nextStage: string; readonly durationMs: number };
  "job.completed": StageEvent & { readonly durationMs: number };
  "job.retrying": AttemptEvent & { readonly error: JobError; readonly durationMs: number };
  "job.failed": AttemptEvent & { readonly error: JobError; readonly durationMs: number };
  "job.snoozed": AttemptEvent & { readonly forMs: number };
  "job.released": AttemptEvent;
  "job.cancelled": { readonly jobId: string; readonly pipeline?: string; readonly stage?: string };
  "job.cancel_requested": { readonly jobId: string };
  "job.retried": { readonly jobId: string };
  /** Jobs taken back from workers whose lease ended. */
  "job.lost": { readonly count: number };
  "job.log": AttemptEvent & {
    readonly level: LogLevel;
    readonly message: string;
    readonly data?: unknown;
  };
  "claim.lost": { readonly jobId: string; readonly stage: string };
  "processor.error": StageEvent & { readonly processor: number };
  "processor.replaced": { readonly pipeline: string; readonly stage: string; readonly processor: number };
  health: { readonly report: HealthReport };
  "database.down": { readonly error: Error };
  "database.up": Record<never, never>;
}

export type EngineEventName = keyof EngineEventMap;
export type EngineEventListener<Name extends EngineEventName> = (event: EngineEventMap[Name]) => void;
export type AnyEngineEventListener = <Name extends EngineEventName>(
  name: Name,
  event: EngineEventMap[Name],
) => void;

type AnyListener = (event: never) => unknown;

/** The engine's voice. No listener can harm the engine: what one throws becomes an `engine.error`. */
export class EngineEvents {
  // Lists are replaced, never changed, so that a listener may leave while an event goes round.
  readonly #listeners = new Map<EngineEventName, readonly AnyListener[]>();
  #anyListeners: readonly AnyEngineEventListener[] = [];
  readonly #reported = new WeakSet<object>();

  /** Returns the function that ends the listening. */
  on<Name extends EngineEventName>(name: Name, listener: EngineEventListener<Name>): () => void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
    return () => {
      const left = (this.#listeners.get(name) ?? []).filter((other) => other !== listener);
      if (left.length > 0) this.#listeners.set(name, left);
      else this.#listeners.delete(name);
    };
  }

  onAny(listener: AnyEngineEventListener): () => void {
    this.#anyListeners = [...this.#anyListeners, listener];
    return () => {
      this.#anyListeners = this.#anyListeners.filter((other) => other !== listener);
    };
  }

  /** Lets a busy caller leave out making an event that nobody hears. */
  hasListeners(name: EngineEventName): boolean {
    return this.#anyListeners.length > 0 || this.#listeners.has(name);
  }

  emit<Name extends EngineEventName>(name: Name, event: EngineEventMap[Name]): void {
    const listeners = this.#listeners.get(name);
    if (listeners !== undefined) {
      for (const listener of listeners as readonly EngineEventListener<Name>[]) {
        this.#tell(listener, () => listener(event));
      }
    }
    for (const listener of this.#anyListeners) this.#tell(listener, () => listener(name, event));
  }

  #tell(listener: object, call: () => unknown): void {
    try {
      const answer = call();
      // An async listener's rejection would end the process.
      if (answer instanceof Promise) answer.catch((thrown) => this.#report(listener, thrown));
    } catch (thrown) {
      this.#report(listener, thrown);
    }
  }

  // Once for each listener: one that fails at every event would drown the log, and one that fails at
  // `engine.error` would call itself for ever.
  #report(listener: object, thrown: unknown): void {
    if (this.#reported.has(listener)) return;
    this.#reported.add(listener);
    this.emit("engine.error", { error: new ListenerError(thrown) });
  }
}

class ListenerError extends Error {
  override readonly name = "ListenerError";

  constructor(cause: unknown) {
    super("A listener of the engine's events threw; its further errors are not reported.", { cause });
  }
}
